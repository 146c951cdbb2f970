import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Seconds. A table is there within milliseconds, on a busy machine within a second. */
const WAITING = { minDelay: 0.01, maxDelay: 0.2, maxWaitTime: 60 };

/** Creates a table, unless it is there from before; resolves when it can be used. */
export const ensureTable = async (
  client: DynamoDBClient,
  definition: CreateTableCommandInput,
): Promise<void> => {
  await client.send(new CreateTableCommand(definition)).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await waitUntilTableExists({ client, ...WAITING }, { TableName: definition.TableName });
};
