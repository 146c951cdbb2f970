import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListTablesCommand,
  type TableDescription,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { TABLE_WAITING } from './ensure-table.ts';

/**
 * Removes tables whose creation was interrupted by the end of its process: dynalite leaves them `CREATING`, so that
 * they can be neither used nor created. They are empty: a table accepts no items before it is `ACTIVE`.
 * Call it before any table is created.
 */
export const removeUnfinishedTables = async (client: DynamoDBClient): Promise<void> => {
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table.TableStatus === 'ACTIVE') continue;
    if (Table.TableStatus === 'CREATING') await activate(client, Table);
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, ...TABLE_WAITING }, { TableName });
  }
};

const THROUGHPUT = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };

/** dynalite refuses to delete a table that is `CREATING`, but any update of its throughput makes it `ACTIVE`. */
const activate = async (
  client: DynamoDBClient,
  { TableName, GlobalSecondaryIndexes = [] }: TableDescription,
): Promise<void> => {
  const indexUpdates = GlobalSecondaryIndexes.map(({ IndexName }) => ({
    Update: { IndexName, ProvisionedThroughput: THROUGHPUT },
  }));
  await client.send(
    new UpdateTableCommand({
      TableName,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: THROUGHPUT,
      ...(indexUpdates.length === 0 ? {} : { GlobalSecondaryIndexUpdates: indexUpdates }),
    }),
  );
  await waitUntilTableExists({ client, ...TABLE_WAITING }, { TableName });
};
