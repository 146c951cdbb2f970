import { type AttributeValue, BatchWriteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { type Metered, startMeteredDynamoDb } from '../support/a-metered-dynamodb.ts';
import { cases } from '../support/deep.ts';
import { findInvalidExpression } from '../support/dynamodb-expressions.ts';
import type { Item } from '../support/dynamodb-units.ts';
import type { UnitLimits } from '../support/unit-limits.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Of DynamoDB's JSON protocol: what an SDK would make of a refusal, and retry, is to be seen. */
type Answer = Readonly<Record<string, unknown>> & {
  readonly __type?: string;
  readonly Items?: readonly Item[];
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
};

const aMeter = async (limits?: UnitLimits) => {
  const database = await startEmbeddedDynamoDb('test');
  cleanups.push(database.stop);
  const meter = await startMeteredDynamoDb(database.endpoint, 'test', limits);
  cleanups.push(meter.stop);
  const call = async (operation: string, input: object): Promise<Answer> => {
    const response = await fetch(meter.endpoint, {
      method: 'POST',
      headers: {
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': '20260101T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/1/local/dynamodb/aws4_request, SignedHeaders=h, Signature=0',
      },
      body: JSON.stringify(input),
    });
    return response.json() as Promise<Answer>;
  };
  const put = (table: string, item: Readonly<Record<string, unknown>>) =>
    call('PutItem', { TableName: `test-${table}`, Item: toItem(item) });
  return { ...meter, call, put, database };
};

const anSdk = (endpoint: string) => {
  const sdk = createSdk(endpoint);
  cleanups.push(async () => sdk.destroy());
  return sdk;
};

const toItem = (values: Readonly<Record<string, unknown>>): Item =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      (typeof value === 'number' ? { N: String(value) } : { S: value }) as AttributeValue,
    ]),
  );

/** A row of the table of requests of so many bytes, by AWS's rules. */
const aRow = (place: string, bytes: number) => {
  const known = 'workflowId'.length + 1 + 'place'.length + place.length + 'data'.length;
  return { workflowId: 'w', place, data: 'x'.repeat(bytes - known) };
};

const ofRequests = { TableName: 'test-requests' };
const allOfW = {
  ...ofRequests,
  KeyConditionExpression: 'workflowId = :id',
  ExpressionAttributeValues: { ':id': { S: 'w' } },
};
const keyOf = (place: string) => ({ workflowId: { S: 'w' }, place: { S: place } });
const unitsOf = ({ readUnits, writeUnits }: Metered) => [readUnits, writeUnits];

// The figures are those of AWS's page:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
describe('units as in the examples of AWS', () => {
  test.each([
    ['an item of 3,500 bytes is read as one of 4 kB', 3_500, 1],
    ['an item of 8 kB takes 2 units', 8_192, 2],
  ])('%s, and half of it when the read is eventually consistent', async (_title, bytes, units) => {
    const { put, call, take } = await aMeter();
    await put('requests', aRow('a', bytes));
    take();
    const get = { ...ofRequests, Key: keyOf('a') };
    await call('GetItem', { ...get, ConsistentRead: true });
    expect(unitsOf(take())).toEqual([units, 0]);
    await call('GetItem', get);
    expect(unitsOf(take())).toEqual([units / 2, 0]);
  });

  test('a batch that reads an item of 1.5 kB and one of 6.5 kB is billed for 12 kB', async () => {
    const { put, call, take } = await aMeter();
    await put('requests', aRow('a', 1_536));
    await put('requests', aRow('b', 6_656));
    take();
    const Keys = [keyOf('a'), keyOf('b')];
    await call('BatchGetItem', {
      RequestItems: { 'test-requests': { Keys, ConsistentRead: true, ProjectionExpression: 'place' } },
    });
    expect(unitsOf(take())).toEqual([3, 0]);
  });

  test('a query of 10 items of 40.8 kB together is billed for 44 kB', async () => {
    const { put, call, take } = await aMeter();
    for (const place of 'abcdefghij') await put('requests', aRow(place, 4_178));
    take();
    for (const part of [{}, { Select: 'COUNT' }, { ProjectionExpression: 'place' }]) {
      await call('Query', { ...allOfW, ...part, ConsistentRead: true });
      expect(unitsOf(take())).toEqual([11, 0]);
    }
  });

  test('a query of 1,500 items of 64 bytes is billed for 96 kB', async () => {
    const { call, take, database } = await aMeter();
    const rows = Array.from({ length: 1_500 }, (_, at) => toItem(aRow(String(at).padStart(8, '0'), 64)));
    const sdk = anSdk(database.endpoint);
    for (let at = 0; at < rows.length; at += 25) {
      const puts = rows.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
      await sdk.send(new BatchWriteItemCommand({ RequestItems: { 'test-requests': puts } }));
    }
    const filter = { FilterExpression: '#d = :none', ExpressionAttributeNames: { '#d': 'data' } };
    const values = { ...allOfW.ExpressionAttributeValues, ':none': { S: 'none' } };
    const answer = await call('Query', {
      ...allOfW,
      ...filter,
      ExpressionAttributeValues: values,
      ConsistentRead: true,
    });
    expect(answer.Items).toEqual([]);
    expect(unitsOf(take())).toEqual([24, 0]);
  });

  test('a read of a missing item is billed', async () => {
    const { call, take } = await aMeter();
    await call('GetItem', { ...ofRequests, Key: keyOf('a') });
    await call('Query', allOfW);
    await call('Scan', ofRequests);
    expect(unitsOf(take())).toEqual([1.5, 0]);
  });

  test('a write of 500 bytes is billed as 1 kB; a replacement is billed by the larger item', async () => {
    const { put, take } = await aMeter();
    await put('requests', aRow('a', 500));
    expect(unitsOf(take())).toEqual([0, 1]);
    await put('requests', aRow('a', 3_000));
    await put('requests', aRow('a', 500));
    expect(unitsOf(take())).toEqual([0, 6]);
  });

  test('a write whose condition fails is billed by the existing item, at least one unit, without indexes', async () => {
    const { put, call, take } = await aMeter();
    await put('executions', { executionId: 'e', workflowId: 'w', startedAt: '1', data: 'x'.repeat(1_500) });
    take();
    for (const executionId of ['e', 'unknown']) {
      const answer = await call('UpdateItem', {
        TableName: 'test-executions',
        Key: { executionId: { S: executionId } },
        UpdateExpression: 'SET workflowId = :no',
        ConditionExpression: 'workflowId = :no',
        ExpressionAttributeValues: { ':no': { S: 'no' } },
      });
      expect(answer.__type).toMatch(/ConditionalCheckFailedException/);
    }
    expect(take()).toMatchObject({
      writes: 2,
      keys: [
        { resource: 'executions', key: 'e', writeUnits: 2 },
        { resource: 'executions', key: 'unknown', writeUnits: 1 },
      ],
    });
  });

  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
  test('an index entry that moves is removed and put, each under its own key', async () => {
    const { put, take } = await aMeter();
    const item = { executionId: 'e', sweepAt: '1' };
    await put('executions', { ...item, sweepShard: '0' });
    take();
    await put('executions', { ...item, sweepShard: '1' });
    expect(take().keys).toEqual([
      { resource: 'executions', key: 'e', readUnits: 0, writeUnits: 1 },
      { resource: 'executions/bySweep', key: '0', readUnits: 0, writeUnits: 1 },
      { resource: 'executions/bySweep', key: '1', readUnits: 0, writeUnits: 1 },
    ]);
    await put('executions', { ...item, sweepShard: '1', data: 'in no index' });
    expect(unitsOf(take())).toEqual([0, 1]);
  });
});

describe('the capacity that dynalite returns', () => {
  const anyItem = fc.record({
    data: fc.string({ unit: 'grapheme-ascii', maxLength: 9_000 }),
    count: fc.integer({ min: 1, max: 9 }),
  });

  test('is the same for reads of ASCII items', async () => {
    const { put, call, take } = await aMeter();
    await fc.assert(
      fc.asyncProperty(fc.array(anyItem, { minLength: 1, maxLength: 3 }), async (items) => {
        for (const [at, item] of items.entries())
          await put('requests', { workflowId: 'w', place: String(at), ...item });
        for (const [operation, input] of [
          ['GetItem', { ...ofRequests, Key: keyOf('0'), ProjectionExpression: 'place' }],
          ['Query', { ...allOfW, ConsistentRead: true, Limit: items.length }],
          ['Query', { ...allOfW, Select: 'COUNT', Limit: items.length }],
          ['Scan', { ...ofRequests, Limit: items.length }],
        ] as const) {
          take();
          const { ConsumedCapacity } = await call(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
          expect(ConsumedCapacity?.CapacityUnits).toBe(take().readUnits);
        }
      }),
      { numRuns: cases(4, 50) },
    );
  });

  test('ignores indexes, UTF-8 bytes, and reads that find nothing', async () => {
    const { call, take } = await aMeter();
    const compare = async (operation: string, input: object) => {
      take();
      const { ConsumedCapacity } = await call(operation, { ...input, ReturnConsumedCapacity: 'INDEXES' });
      const { readUnits, writeUnits } = take();
      return [ConsumedCapacity?.CapacityUnits, readUnits + writeUnits];
    };
    const ofExecutions = { TableName: 'test-executions' };
    const entry = toItem({ executionId: 'e', workflowId: 'w', startedAt: '1' });
    expect(await compare('PutItem', { ...ofExecutions, Item: entry })).toEqual([1, 2]);
    const foreign = toItem({ executionId: 'f', data: 'é'.repeat(900) });
    expect(await compare('PutItem', { ...ofExecutions, Item: foreign })).toEqual([1, 2]);
    expect(await compare('Query', allOfW)).toEqual([0, 0.5]);
  });
});

describe('limits', () => {
  const SCALE = 0.01; // 10 write and 30 read units a second for a key, 40 and 120 for a table

  const aLimitedMeter = async () => {
    let now = 1_700_000_000_000;
    const meter = await aMeter({ clock: { now: () => now }, scale: SCALE });
    const count = async (calls: number, call: (at: number) => Promise<Answer>): Promise<number> => {
      let passed = 0;
      for (let at = 0; at < calls; at++) if ((await call(at)).__type === undefined) passed++;
      return passed;
    };
    const pass = (ms: number) => {
      now += ms;
    };
    return { ...meter, count, pass };
  };

  test('a partition key takes 1,000 write units a second, second by second', async () => {
    const { put, count, pass, take } = await aLimitedMeter();
    const toOneKey = () => count(20, (at) => put('requests', aRow(String(at), 100)));
    expect(await toOneKey()).toBe(10);
    expect(take().throttled).toEqual({ TableWriteKeyRangeThroughputExceeded: 10 });
    pass(500);
    expect(await toOneKey()).toBe(5);
    pass(10_000); // nothing is saved up
    expect(await toOneKey()).toBe(10);
  });

  test('a partition key takes 3,000 read units a second', async () => {
    const { call, count, take } = await aLimitedMeter();
    expect(await count(70, () => call('GetItem', { ...ofRequests, Key: keyOf('a') }))).toBe(60);
    expect(take().throttled).toEqual({ TableReadKeyRangeThroughputExceeded: 10 });
  });

  test('a new table takes 4,000 write units a second, whatever the keys', async () => {
    const { put, count } = await aLimitedMeter();
    expect(await count(50, (at) => put('executions', { executionId: String(at) }))).toBe(40);
  });

  test('a large write is accepted while units are left, and then they are missing', async () => {
    const { put, count, pass } = await aLimitedMeter();
    expect(await count(2, (at) => put('requests', aRow(String(at), 25 * 1_024)))).toBe(1);
    pass(1_000);
    expect(await count(1, () => put('requests', aRow('x', 100)))).toBe(0);
    pass(1_000);
    expect(await count(1, () => put('requests', aRow('x', 100)))).toBe(1);
  });

  test('a throttled index refuses the write to its table, with AWS’s error, and leaves the item unchanged', async () => {
    const { put, call, count, take } = await aLimitedMeter();
    const start = (at: number, sweepShard: string) =>
      put('executions', { executionId: `e-${at}`, sweepShard, sweepAt: '1' });
    expect(await count(20, (at) => start(at, '0'))).toBe(10);
    const answer = await start(20, '0');
    expect(answer).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException',
      message: expect.stringContaining('one or more global secondary indexes'),
      throttlingReasons: [
        {
          reason: 'IndexWriteKeyRangeThroughputExceeded',
          resource: expect.stringMatching(/:table\/test-executions\/index\/bySweep$/),
        },
      ],
    });
    expect(take().writeUnits).toBe(20);
    const ofItem = (at: number) => ({ TableName: 'test-executions', Key: { executionId: { S: `e-${at}` } } });
    expect(await call('GetItem', ofItem(20))).toEqual({});
    const before = await call('GetItem', ofItem(3));
    const moved = await call('UpdateItem', {
      ...ofItem(3),
      UpdateExpression: 'REMOVE sweepShard, sweepAt SET ended = :now',
      ExpressionAttributeValues: { ':now': { S: 'now' } },
    });
    expect(moved.__type).toMatch(/ThrottlingException/);
    expect(await call('GetItem', ofItem(3))).toEqual(before);
    expect((await start(21, '1')).__type).toBeUndefined();
  });

  test('the throttled part of a batch is returned to the caller', async () => {
    const { call, count } = await aLimitedMeter();
    await count(60, () => call('GetItem', { ...ofRequests, Key: keyOf('a') }));
    const batch = (...keys: object[]) =>
      call('BatchGetItem', { RequestItems: { 'test-requests': { Keys: keys } } });
    const other = { workflowId: { S: 'other' }, place: { S: 'a' } };
    expect((await batch(keyOf('a'), other)).UnprocessedKeys).toEqual({
      'test-requests': { Keys: [keyOf('a')] },
    });
    expect((await batch(keyOf('a'))).__type).toMatch(/ThrottlingException/);
  });

  test('the SDK reports why it was throttled', async () => {
    const { endpoint, put, count } = await aLimitedMeter();
    await count(10, (at) => put('requests', aRow(String(at), 100)));
    const sdk = anSdk(endpoint);
    sdk.config.maxAttempts = async () => 1;
    await expect(
      sdk.send(new PutItemCommand({ TableName: 'test-requests', Item: { ...keyOf('b') } })),
    ).rejects.toMatchObject({
      name: 'ThrottlingException',
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }],
    });
  });

  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
  test('an item has at most 400 kB, also in UTF-8 and after an update', async () => {
    const { put, call } = await aMeter();
    expect((await put('requests', aRow('a', 400 * 1_024))).__type).toBeUndefined();
    expect(await put('requests', aRow('b', 400 * 1_024 + 1))).toMatchObject({
      __type: expect.stringMatching(/ValidationException/),
    });
    const update = await call('UpdateItem', {
      ...ofRequests,
      Key: keyOf('c'),
      UpdateExpression: 'SET #data = :data',
      ExpressionAttributeNames: { '#data': 'data' },
      ExpressionAttributeValues: { ':data': { S: 'é'.repeat(205 * 1_024) } },
    });
    expect(update).toMatchObject({ __type: expect.stringMatching(/ValidationException/) });
    expect(await call('GetItem', { ...ofRequests, Key: keyOf('c') })).toEqual({});
  });

  test('a query page has about 1 MB', async () => {
    const { put, call, take } = await aMeter();
    for (let at = 0; at < 30; at++) await put('requests', aRow(String(at).padStart(2, '0'), 50_000));
    take();
    const { LastEvaluatedKey } = await call('Query', { ...allOfW, ConsistentRead: true });
    expect(LastEvaluatedKey).toBeDefined();
    expect(Math.abs(take().readUnits - 256)).toBeLessThan(13); // an item more or less
  });
});

describe('an expression', () => {
  test.each([
    ['of 4,096 bytes', { ConditionExpression: 'a'.repeat(4_096) }, null],
    ['of a byte more', { ConditionExpression: 'a'.repeat(4_097) }, /expression size: 4097$/],
    ['of 300 operators', { FilterExpression: `a<b${' and a<b'.repeat(149)} and c` }, null],
    ['of 301', { FilterExpression: `a<b${' and a<b'.repeat(150)}` }, /operator count: 301$/],
    ['that assigns 350 times', { UpdateExpression: `SET ${'a=:b,'.repeat(350)}` }, null],
    ['with 301 functions', { ConditionExpression: 'size(a)'.repeat(301) }, /operator count: 301$/],
    ['that adds 301 times', { UpdateExpression: `SET a=b${'+c'.repeat(301)}` }, /operator count: 301$/],
  ])('%s', (_title, input, message) => {
    const found = findInvalidExpression(input);
    if (message === null) expect(found).toBeNull();
    else expect(found).toMatch(message);
  });
});
