import { DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';

type TestDatabase = Awaited<ReturnType<typeof startTestDatabase>>;

/**
 * Gives every caller an empty DynamoDB of its own, with the tables of serverless.yml, until the end of the test. It is
 * emptied then, for the next test of the file: new tables take longer than most tests.
 */
export const useTestDatabases = () => {
  const free: TestDatabase[] = [];
  const used: TestDatabase[] = [];

  afterEach(async () => {
    await Promise.all(used.map(({ empty }) => empty()));
    free.push(...used.splice(0));
  });
  afterAll(async () => {
    await Promise.all(free.splice(0).map(({ stop }) => stop()));
  });

  return async () => {
    const database = free.pop() ?? (await startTestDatabase());
    used.push(database);
    return database;
  };
};

const startTestDatabase = async () => {
  const { endpoint, stop } = await startEmbeddedDynamoDb('test');
  const sdk = createSdk(endpoint);
  const client = createJsonClient({ region: 'local', endpoint });

  const emptyTable = async (TableName: string): Promise<void> => {
    const { Items = [], LastEvaluatedKey } = await client.scan({ TableName });
    if (Items.length === 0) return;
    const { Table } = await sdk.send(new DescribeTableCommand({ TableName }));
    const names = Table?.KeySchema?.map(({ AttributeName }) => AttributeName) ?? [];
    for (const item of Items) {
      const key = Object.entries(item).filter(([name]) => names.includes(name));
      await client.deleteItem({ TableName, Key: Object.fromEntries(key) });
    }
    if (LastEvaluatedKey !== undefined) await emptyTable(TableName);
  };

  return {
    sdk,
    client,
    tables: tableNames('test'),
    endpoint,
    empty: async () => {
      const { TableNames = [] } = await sdk.send(new ListTablesCommand({}));
      await Promise.all(TableNames.map(emptyTable));
    },
    stop: async () => {
      sdk.destroy();
      await stop();
    },
  };
};
