import { promisify } from 'node:util';
import { afterEach } from '@jest/globals';
import dynalite from 'dynalite';
import { AT_ONCE, withStore } from 'lambda-stage/database';
import { startInternalServer } from 'lambda-stage/net';
import { createCallbackIndex } from '../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import type { DynamoDbClient } from '../../lib/adapters/dynamodb/client.ts';
import { createDeliveryStore } from '../../lib/adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createStandingStore } from '../../lib/adapters/dynamodb/health/standing-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createNoticeStore } from '../../lib/adapters/dynamodb/notices/notice-store.ts';
import { createListeningStore } from '../../lib/adapters/dynamodb/requests/listening-store.ts';
import { createRequestStore } from '../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { type TableNames, tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';

/** Gives every caller an empty DynamoDB of its own, with the tables of serverless.yml; gone after the test. */
export const useTestDatabases = () => {
  const cleanups: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  return async () => {
    const database = await startDatabase();
    const { endpoint, store } = database;
    const sdk = createSdk(endpoint);
    cleanups.push(async () => {
      sdk.destroy();
      await database.stop();
    });
    return { sdk, client: createJsonClient({ region: 'local', endpoint }), tables, endpoint, store };
  };
};

const tables = tableNames('test');

/** The stores of the service, for what a test puts into them and finds there. */
export const openTestStores = ({
  client,
  tables,
}: {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
}) => {
  const options = { retentionDays: 30, clock: systemClock };
  return {
    workflows: createWorkflowStore(client, tables, systemClock),
    executions: createExecutionStore(client, tables, options),
    requests: createRequestStore(client, tables, options),
    deliveries: createDeliveryStore(client, tables),
    listening: createListeningStore(client, tables),
    callbacks: createCallbackIndex(client, tables, systemClock),
    standing: createStandingStore(client, tables),
    notices: createNoticeStore(client, tables),
  };
};

/**
 * Starts what {@link startEmbeddedDynamoDb} does, in a twentieth of the time: it takes longer to create the tables than
 * most tests do, so that each database but the first gets the records that dynalite keeps of the first one's.
 */
const startDatabase = async () => {
  records ??= createRecords();
  const [http, store] = withStore(() => dynalite(AT_ONCE));
  const put = promisify(store.tableDb.put);
  await Promise.all(Object.entries(await records).map(([name, record]) => put(name, record)));
  return { ...(await startInternalServer(http)), store };
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
