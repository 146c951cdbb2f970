import type { AddressInfo } from 'node:net';
import { type CreateTableCommandInput, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { createSdk } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { ensureTable } from '../../../local/database/ensure-table.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** @param createTableMs for which a new table is not there yet, as on a busy machine */
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

const definition: CreateTableCommandInput = {
  TableName: 'orders',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};

test('a table can be used once it is ensured, however long it takes to create', async () => {
  const client = await aClient(200);
  await ensureTable(client, definition);
  expect((await client.send(new ScanCommand({ TableName: 'orders' }))).Items).toEqual([]);
});

test('an existing table stays; one that is being created is waited for', async () => {
  const client = await aClient(200);
  await Promise.all([ensureTable(client, definition), ensureTable(client, definition)]);
  await ensureTable(client, definition);
  expect((await client.send(new ScanCommand({ TableName: 'orders' }))).Items).toEqual([]);
});
