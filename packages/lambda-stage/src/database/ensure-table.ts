import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/**
 * Delays and time limit in seconds. A table changes its status within milliseconds, or within a second on a busy
 * machine.
 */
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
