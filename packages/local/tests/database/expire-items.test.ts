import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useTestDatabases } from '../../../../tests/support/test-database.ts';
import { removeExpired, startExpiry } from '../../database/expire-items.ts';
import { readExpiringTables } from '../../database/tables.ts';

const openDatabase = useTestDatabases();

const NOW = Date.UTC(2026, 0, 1);
const seconds = NOW / 1_000;

test('items whose time to live is over are removed from each table that has one, and no others', async () => {
  const { sdk } = await openDatabase();
  const tables = readExpiringTables('test');
  expect(tables.map(({ name }) => name)).toEqual(
    ['executions', 'deliveries', 'requests', 'statistics', 'bulk-retries', 'state', 'notices'].map((name) =>
      expect.stringContaining(name),
    ),
  );
  const times: Readonly<Record<string, object>> = {
    over: { N: String(seconds) },
    before: { N: String(seconds - 86_400) },
    later: { N: String(seconds + 1) },
    ancient: { N: '7' }, // DynamoDB takes it for no time
    text: { S: String(seconds - 1) },
  };
  for (const { name: TableName, keys, attribute } of tables)
    for (const [name, time] of [...Object.entries(times), ['never', null] as const]) {
      const key = Object.fromEntries(keys.map((each) => [each, { S: name }]));
      const Item = { ...key, ...(time === null ? {} : { [attribute]: time }) } as never;
      await sdk.send(new PutItemCommand({ TableName, Item }));
    }
  await removeExpired(sdk, tables, NOW);
  await removeExpired(sdk, tables, NOW);
  for (const { name: TableName, keys } of tables) {
    const { Items = [] } = await sdk.send(new ScanCommand({ TableName }));
    const left = Items.map((item) => item[keys[0] ?? '']?.S).sort();
    expect([TableName, ...left]).toEqual([TableName, 'ancient', 'later', 'never', 'text']);
  }
});

test('hundreds of expired items on several pages are removed', async () => {
  const { sdk } = await openDatabase();
  const [table] = readExpiringTables('test').filter(({ name }) => name.endsWith('deliveries'));
  if (table === undefined) throw new Error('no table');
  for (let at = 0; at < 30; at++) {
    const Item = {
      [table.keys[0] ?? '']: { S: `d-${at}` },
      [table.attribute]: { N: String(seconds) },
      large: { S: 'x'.repeat(100_000) },
    };
    await sdk.send(new PutItemCommand({ TableName: table.name, Item }));
  }
  await removeExpired(sdk, [table], NOW);
  expect(await sdk.send(new ScanCommand({ TableName: table.name }))).toMatchObject({ Count: 0 });
});

describe('expiry', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW }));
  afterEach(() => void jest.useRealTimers());

  test('is each hour by the clock, also after a failure, which is logged', async () => {
    const times: number[] = [];
    const lines: string[] = [];
    const remove = async (now: number) => {
      times.push((now - NOW) / 3_600_000);
      if (times.length === 1) throw new Error('down');
    };
    const expiry = startExpiry(remove, (line) => void lines.push(line));
    await jest.advanceTimersByTimeAsync(2 * 3_600_000);
    await expiry.stop();
    await jest.advanceTimersByTimeAsync(2 * 3_600_000);
    expect([times, lines]).toEqual([[1, 2], ['expired items: down']]);
  });
});
