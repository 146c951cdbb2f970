import type { AddressInfo } from 'node:net';
import {
  type CreateTableCommandInput,
  DynamoDBClient,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { ensureTable } from 'lambda-stage/database';
import { startInternalServer } from 'lambda-stage/net';
import { createSdk } from '../../../../lib/adapters/dynamodb/sdk-client.ts';
import { addIndexes, readTableDefinitions } from '../../database/tables.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const COUNT = 60;
const definition = readTableDefinitions('test').find(({ TableName }) => TableName === 'test-executions');

/** The table of executions as earlier versions have it, with executions. */
const anEarlierTable = async () => {
  const server = await startInternalServer(
    dynalite({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 }),
  );
  cleanups.push(server.stop);
  const client = new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  cleanups.push(async () => client.destroy());
  const {
    GlobalSecondaryIndexes = [],
    AttributeDefinitions = [],
    ...rest
  } = definition as CreateTableCommandInput;
  await ensureTable(client, {
    ...rest,
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.filter(({ IndexName }) => IndexName !== 'byTime'),
    AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => AttributeName !== 'timeShard'),
  });
  const { PutItemCommand } = await import('@aws-sdk/client-dynamodb');
  for (let at = 0; at < COUNT; at++) {
    const Item = { executionId: { S: `e-${at}` }, startedAt: { S: `2026-${at}` }, timeShard: { S: '1' } };
    await client.send(new PutItemCommand({ TableName: 'test-executions', Item }));
  }
  return client;
};

const definitions = [definition as CreateTableCommandInput];

const countItems = async (client: DynamoDBClient) =>
  (await client.send(new ScanCommand({ TableName: 'test-executions' }))).Count;

const countListed = async (client: DynamoDBClient) => {
  const query = new QueryCommand({
    TableName: 'test-executions',
    IndexName: 'byTime',
    KeyConditionExpression: 'timeShard = :shard',
    ExpressionAttributeValues: { ':shard': { S: '1' } },
  });
  return (await client.send(query)).Count;
};

test('adds missing indexes to a table, and keeps its items', async () => {
  const client = await anEarlierTable();
  await addIndexes(client, definitions);
  expect([await countItems(client), await countListed(client)]).toEqual([COUNT, COUNT]);
  await addIndexes(client, definitions);
  expect(await countItems(client)).toBe(COUNT);
});

test('keeps items wherever it is interrupted', async () => {
  for (let calls = 1; ; calls++) {
    const client = await anEarlierTable();
    let left = calls;
    const killed = Object.assign(Object.create(client), {
      send: async (command: never) => {
        if (left-- === 0) throw new Error('killed');
        return client.send(command);
      },
    }) as DynamoDBClient;
    const isDone = await addIndexes(killed, definitions).then(
      () => true,
      () => false,
    );
    await addIndexes(client, definitions);
    expect([calls, await countItems(client), await countListed(client)]).toEqual([calls, COUNT, COUNT]);
    if (isDone) break;
    expect(calls).toBeLessThan(60);
  }
});

/** @param createTableMs - for which a new table is not there yet, as on a busy machine */
const aClient = async (createTableMs: number) => {
  const server = dynalite({ createTableMs });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createSdk(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(() => {
    client.destroy();
    server.close();
  });
  return client;
};

const orders: CreateTableCommandInput = {
  TableName: 'orders',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};

test('a table can be used once it is ensured, however long it takes to create', async () => {
  const client = await aClient(200);
  await ensureTable(client, orders);
  expect((await client.send(new ScanCommand({ TableName: 'orders' }))).Items).toEqual([]);
});

test('an existing table stays; one that is being created is waited for', async () => {
  const client = await aClient(200);
  await Promise.all([ensureTable(client, orders), ensureTable(client, orders)]);
  await ensureTable(client, orders);
  expect((await client.send(new ScanCommand({ TableName: 'orders' }))).Items).toEqual([]);
});
