import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Seconds. A table changes its status within milliseconds, on a busy machine within a second. */
export const TABLE_WAITING = { minDelay: 0.01, maxDelay: 0.2, maxWaitTime: 60 };

/** Creates a table unless it exists and waits until it is usable. */
export const ensureTable = async (
  client: DynamoDBClient,
  definition: CreateTableCommandInput,
): Promise<void> => {
  await client.send(new CreateTableCommand(definition)).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await waitUntilTableExists({ client, ...TABLE_WAITING }, { TableName: definition.TableName });
};
