import { promisify } from 'node:util';
import { afterEach } from '@jest/globals';
import dynalite from 'dynalite';
import dynaliteDb, { type Store } from 'dynalite/db/index.js';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { AT_ONCE, startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';
import { startInternalServer } from '../../local/net/listen.ts';

/** Gives every caller an empty DynamoDB of its own, with the tables of serverless.yml; gone after the test. */
export const useTestDatabases = () => {
  const cleanups: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  return async () => {
    const database = await startDatabase();
    const { endpoint } = database;
    const sdk = createSdk(endpoint);
    cleanups.push(async () => {
      sdk.destroy();
      await database.stop();
    });
    return { sdk, client: createJsonClient({ region: 'local', endpoint }), tables, endpoint };
  };
};

const tables = tableNames('test');

/**
 * Starts what {@link startEmbeddedDynamoDb} does, in a twentieth of the time: it takes longer to create the tables than
 * most tests do, so that each database but the first gets the records that dynalite keeps of the first one's.
 */
const startDatabase = async () => {
  records ??= createRecords();
  const [server, { tableDb }] = withStore(() => dynalite(AT_ONCE));
  const put = promisify(tableDb.put);
  await Promise.all(Object.entries(await records).map(([name, record]) => put(name, record)));
  return startInternalServer(server);
};

let records: Promise<Readonly<Record<string, unknown>>> | undefined;

const createRecords = async () => {
  const [starting, { tableDb }] = withStore(() => startEmbeddedDynamoDb('test'));
  const { stop } = await starting;
  const get = promisify(tableDb.get);
  const found = await Promise.all(Object.values(tables).map(async (name) => [name, await get(name)]));
  await stop();
  return Object.fromEntries(found);
};

/** Returns the store of the dynalite that a function creates, too: dynalite has it in a closure. */
const withStore = <T>(start: () => T): [T, Store] => {
  const { create } = dynaliteDb;
  const stores: Store[] = [];
  dynaliteDb.create = (options) => {
    const store = create(options);
    stores.push(store);
    return store;
  };
  try {
    const started = start();
    const [store] = stores;
    if (store === undefined) throw new Error('no dynalite was created');
    return [started, store];
  } finally {
    dynaliteDb.create = create;
  }
};
