import {
  DescribeTableCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import type { DynamoDbClient } from '../../../lib/adapters/dynamodb/client.ts';
import { SCHEMA_VERSION } from '../../../lib/adapters/dynamodb/schema/schema.ts';
import { createSdk } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { migrateStoredData } from '../../../lib/adapters/dynamodb/stored-data/migrate.ts';
import { readStageVersions } from '../../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { useTestDatabases } from '../../../tests/support/test-database.ts';

const openDatabase = useTestDatabases();
const aCommandLine = useCommandLine();

const tables = tableNames('test');
type Sdk = ReturnType<typeof createSdk>;

/** An item of the version before in each table, and one of this version among the workflows. */
const fill = async (sdk: Sdk, count = 1) => {
  for (const TableName of Object.values(tables)) {
    const { Table } = await sdk.send(new DescribeTableCommand({ TableName }));
    const types = new Map(
      Table?.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]),
    );
    for (let index = 0; index < count; index++) {
      const keys = (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => [
        AttributeName,
        types.get(AttributeName) === 'N' ? { N: String(index) } : { S: `old ${index}` },
      ]);
      await sdk.send(
        new PutItemCommand({ TableName, Item: { ...Object.fromEntries(keys), kept: { S: 'as it was' } } }),
      );
    }
  }
  const Item = { workflowId: { S: 'new' }, schema: { N: String(SCHEMA_VERSION) } };
  await sdk.send(new PutItemCommand({ TableName: tables.workflows, Item }));
};

const allItems = async (sdk: Sdk) => {
  const pages = Object.values(tables).map((TableName) => sdk.send(new ScanCommand({ TableName })));
  return (await Promise.all(pages)).flatMap(({ Items = [] }) => Items);
};

const open = async (count?: number) => {
  const database = await openDatabase();
  await fill(database.sdk, count);
  const sleeps: number[] = [];
  return {
    ...database,
    sleeps,
    migrate: (client: DynamoDbClient = database.client, isDryRun = false) =>
      migrateStoredData({
        client,
        tables,
        isDryRun,
        onPage: () => {},
        sleep: async (ms) => void sleeps.push(ms),
      }),
  };
};

describe('hookloom migrate', () => {
  // holds: migrates-beside-runs
  test('counts by table and version, and rewrites items of the previous version once', async () => {
    const { call, endpoint } = await aCommandLine();
    const sdk = createSdk(endpoint);
    await fill(sdk);
    const before = await allItems(sdk);
    const dry = await call('migrate --dry-run --json');
    expect(JSON.parse(dry.out)).toMatchObject({
      version: SCHEMA_VERSION,
      isDryRun: true,
      isComplete: false,
      tables: expect.arrayContaining([
        { table: 'test-workflows', found: { 2: 1, [SCHEMA_VERSION]: 1 }, migrated: 0, skipped: 0, unread: 0 },
        { table: 'test-requests', found: { 2: 1 }, migrated: 0, skipped: 0, unread: 0 },
      ]),
    });
    expect([dry.code, await allItems(sdk)]).toEqual([0, before]);
    const first = await call('migrate');
    expect([first.code, first.out]).toEqual([0, expect.stringMatching(/test-executions +2: 1 +1\n/)]);
    const stored = await allItems(sdk);
    const stage = stored.filter(({ executionId }) => executionId?.S === 'stored data');
    expect(stage).toMatchObject([
      { oldest: { N: String(SCHEMA_VERSION) }, newest: { N: String(SCHEMA_VERSION) } },
    ]);
    const rest = stored.filter((item) => !stage.includes(item));
    expect(rest).toEqual(before.map((item) => ({ ...item, schema: { N: String(SCHEMA_VERSION) } })));
    const second = await call('migrate --json');
    expect(JSON.parse(second.out)).toMatchObject({ isComplete: true });
    expect(second.out).not.toContain('"migrated": 1');
    sdk.destroy();
  });

  test('leaves versions that this release does not read, and fails', async () => {
    const { call, endpoint } = await aCommandLine();
    const sdk = createSdk(endpoint);
    await fill(sdk);
    const Item = { workflowId: { S: 'later' }, schema: { N: String(SCHEMA_VERSION + 1) } };
    await sdk.send(new PutItemCommand({ TableName: tables.workflows, Item }));
    const { code, err } = await call('migrate');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("1 items have versions that this release can't read"),
    ]);
    expect(await allItems(sdk)).toContainEqual(Item);
    sdk.destroy();
  });
});

describe('a migration', () => {
  // holds: migrates-beside-runs
  test('skips items that others change or remove meanwhile, and is complete after another one', async () => {
    const { client, sdk, tables: names, migrate } = await open();
    let isFirst = true;
    const changing: DynamoDbClient = {
      ...client,
      updateItem: async (input) => {
        if (isFirst) {
          isFirst = false;
          const { TableName, Key } = input;
          const ExpressionAttributeNames = { '#schema': 'schema' };
          const values = { ExpressionAttributeValues: { ':v': { N: String(SCHEMA_VERSION) } } };
          const UpdateExpression = 'SET #schema = :v, kept = :v';
          await sdk.send(
            new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeNames, ...values }),
          );
        }
        return client.updateItem(input);
      },
    };
    const { tables: reports, isComplete } = await migrate(changing);
    expect(isComplete).toBe(false);
    expect(reports.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(1);
    expect(await readStageVersions(client, names)).toBeNull();
    expect(await allItems(sdk)).toContainEqual(
      expect.objectContaining({ kept: { N: String(SCHEMA_VERSION) } }),
    );
    expect(await migrate()).toMatchObject({ isComplete: true });
    expect(await readStageVersions(client, names)).toEqual({
      oldest: SCHEMA_VERSION,
      newest: SCHEMA_VERSION,
    });
  });

  test('reads page by page, and backs off while a store throttles', async () => {
    const { client, migrate, sleeps } = await open(3);
    let scans = 0;
    const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    const busy: DynamoDbClient = {
      ...client,
      scan: (input) => {
        scans++;
        expect(input.Limit).toBe(200);
        return scans <= 3 ? Promise.reject(throttling) : client.scan({ ...input, Limit: 2 });
      },
    };
    expect(await migrate(busy)).toMatchObject({ isComplete: true });
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
    expect(scans).toBeGreaterThan(3 + 2 * Object.keys(tables).length - 1);
  });

  // holds: migrates-beside-runs
  test('gives up on a store that stays away, and resumes there the next time', async () => {
    const { client, migrate, sleeps } = await open();
    let writes = 0;
    const away: DynamoDbClient = {
      ...client,
      updateItem: (input) => (writes++ < 3 ? client.updateItem(input) : Promise.reject(new Error('away'))),
    };
    await expect(migrate(away)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(sleeps).toHaveLength(6);
    const { tables: reports } = await migrate();
    expect(reports.reduce((sum, { migrated }) => sum + migrated, 0)).toBe(Object.keys(tables).length - 3);
  });
});
