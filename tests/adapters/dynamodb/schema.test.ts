import { ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import type { Item } from '../../../lib/adapters/dynamodb/attributes.ts';
import { createCallbackIndex } from '../../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../../lib/adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../../../lib/adapters/dynamodb/delivery-store.ts';
import { createBulkRetryStore } from '../../../lib/adapters/dynamodb/executions/bulk-retry-store.ts';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createListDefinitions } from '../../../lib/adapters/dynamodb/health/health-reads.ts';
import { createHeldQueues } from '../../../lib/adapters/dynamodb/held/held-queues.ts';
import { createSlotStore } from '../../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { createNoticeStore } from '../../../lib/adapters/dynamodb/notices/notice-store.ts';
import { createRegistrationStore } from '../../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { OLDEST_VERSION, SCHEMA_VERSION } from '../../../lib/adapters/dynamodb/schema/schema.ts';
import { createSettingsStore } from '../../../lib/adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../../lib/adapters/dynamodb/state-store.ts';
import { createStatisticsStore } from '../../../lib/adapters/dynamodb/statistics/statistics-store.ts';
import { createWorkflowStore } from '../../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { aFlow } from '../../support/a-background-service.ts';
import { aBulkRetry } from '../../support/a-bulk-retry.ts';
import { aCredential } from '../../support/a-credential.ts';
import { aRequestRecord } from '../../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { aNotice } from '../../support/notice-store-suite.ts';
import { anOutboundCredential } from '../../support/outbound-store-suite.ts';
import { aStateEntry } from '../../support/state-store-suite.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW };
const retention = { retentionDays: 30, clock };

/** Every store, on one database. */
const openStores = async () => {
  const { client, sdk, tables } = await openDatabase();
  return {
    sdk,
    tables,
    workflows: createWorkflowStore(client, tables, clock),
    listDefinitions: createListDefinitions(client, tables),
    credentials: createCredentialStore(client, tables),
    outbound: createOutboundCredentialStore(client, tables),
    executions: createExecutionStore(client, tables, retention),
    callbacks: createCallbackIndex(client, tables, clock),
    queues: createHeldQueues(client, tables, retention),
    registrations: createRegistrationStore(client, tables, clock),
    deliveries: createDeliveryStore(client, tables),
    slots: createSlotStore(client, tables),
    takeToken: createTokenBuckets(client, tables),
    requests: createRequestStore(client, tables, retention),
    statistics: createStatisticsStore(client, tables, clock),
    bulkRetries: createBulkRetryStore(client, tables, retention),
    settings: createSettingsStore(client, tables),
    state: createStateStore(client, tables),
    notices: createNoticeStore(client, tables),
  };
};

type Stores = Awaited<ReturnType<typeof openStores>>;

const workflow = (disabled: boolean) =>
  aFlow({ id: 'orders', nodes: [{ id: 'a', type: 'noOp', disabled }], edges: ['start -> a'] });
const registration = {
  name: 'name-1',
  workflowId: 'orders',
  triggerNodeId: 'hourly',
  nodeType: 'scheduleTrigger',
  parameters: {},
};
const claim = { deliveryId: 'd-1', executionId: 'e-1', bodyHash: 'h', claimedAt: NOW, until: NOW + 60_000 };
const subject = {
  executionId: 'e-1',
  workflowId: 'orders',
  name: 'ask/0/0',
  openedAt: NOW,
  question: {},
  publicUrl: 'https://example.com',
};
const bucket = { key: 'b-1', burst: 5, intervalUs: 1_000_000 };
const slot = {
  group: 0,
  workflowId: 'orders',
  slot: { executionId: 'e-1', takenAt: NOW },
  max: 1,
  ended: [],
};
const { workflowId, place } = aRequestRecord();

/** Writes an item of each kind that there is. */
const writeAll = async (stores: Stores): Promise<void> => {
  const { workflows, executions } = stores;
  await workflows.put(workflow(true), []);
  await workflows.put(workflow(false), []); // archives the first
  await workflows.put(aFlow({ id: 'gone', nodes: [], edges: [] }), []);
  await workflows.remove('gone');
  await stores.credentials.put(aCredential());
  await stores.outbound.put(anOutboundCredential());
  await executions.start(anExecutionStart());
  await executions.start(anExecutionStart({ executionId: 'e-2', held: 'paused', startToken: 't-2' }));
  await executions.openCallback('e-1', 'ask/0/0', { callbackId: 'c', expiresAt: NOW + 60_000, subject });
  await executions.startAndFinish(
    anExecutionStart({
      executionId: 'e-3',
      mode: 'inline',
      status: 'running',
      input: null,
      startToken: 't-3',
    }),
    anExecutionEnd({ input: 'j{}' }),
  );
  await stores.registrations.claim(registration);
  await stores.deliveries.claim(claim);
  await stores.slots.take(slot);
  await stores.takeToken(bucket, NOW * 1_000, null);
  await stores.requests.put(aRequestRecord());
  await stores.requests.fill(aRequestRecord({ workflowId: 'unknown' }));
  await stores.statistics.add('shard', [
    { sequence: 1n, happenings: [{ kind: 'started', workflowId: 'flow', at: NOW }] },
  ]);
  await stores.bulkRetries.create(aBulkRetry(), ['e-1']);
  await stores.settings.put('variables', { content: [], revision: 1 });
  await stores.state.put(aStateEntry(), null);
  await stores.state.keepEffect({ id: 'effect-1', result: {}, at: NOW });
  await stores.notices.raise(aNotice());
};

const KEYS = [
  'workflowId',
  'version',
  'credentialId',
  'executionId',
  'name',
  'deliveryId',
  'place',
  'hourOfShard',
  'partition',
  'scope',
  'place',
] as const;
const KEYS_OF: Readonly<Record<string, readonly string[]>> = {
  workflows: ['workflowId'],
  workflowVersions: ['workflowId', 'version'],
  credentials: ['credentialId'],
  executions: ['executionId'],
  registrations: ['name'],
  deliveries: ['deliveryId'],
  requests: ['workflowId', 'place'],
  statistics: ['workflowId', 'hourOfShard'],
  bulkRetries: ['partition', 'place'],
  settings: ['name'],
  state: ['scope', 'place'],
  notices: ['scope', 'place'],
} satisfies Record<keyof Stores['tables'], readonly (typeof KEYS)[number][]>;

const allItems = async ({ sdk, tables }: Stores): Promise<{ table: string; key: Item; item: Item }[]> => {
  const found = [];
  for (const [name, TableName] of Object.entries(tables)) {
    const { Items = [] } = await sdk.send(new ScanCommand({ TableName, ConsistentRead: true }));
    for (const item of Items) {
      const key = Object.fromEntries(
        Object.entries(item).filter(([attribute]) => KEYS_OF[name]?.includes(attribute)),
      );
      found.push({ table: TableName, key, item });
    }
  }
  return found;
};

/** Changes what every item says. @param version - null for items that say nothing */
const pretend = async (stores: Stores, version: number | null): Promise<void> => {
  for (const { table, key } of await allItems(stores))
    await stores.sdk.send(
      new UpdateItemCommand({
        TableName: table,
        Key: key,
        ExpressionAttributeNames: { '#schema': 'schema' },
        UpdateExpression: version === null ? 'REMOVE #schema' : 'SET #schema = :version',
        ...(version === null ? {} : { ExpressionAttributeValues: { ':version': { N: String(version) } } }),
      }),
    );
};

const collect = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
};

const listing = { workflowId: 'orders', limit: 10 };

/** Each way to read an item. */
const reads: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  'a workflow': ({ workflows }) => workflows.find('orders'),
  'the current version': ({ workflows }) => workflows.findVersion('orders', 2),
  'an earlier version': ({ workflows }) => workflows.findVersion('orders', 1),
  'the list of workflows': ({ workflows }) => workflows.list(),
  'all definitions': ({ listDefinitions }) => listDefinitions(),
  'a workflow that is replaced': ({ workflows }) => workflows.put(workflow(true), []),
  'a credential of callers': ({ credentials }) => credentials.find('partner'),
  'the list of credentials': ({ credentials }) => credentials.list(),
  'a credential for calling out': ({ outbound }) => outbound.find('crm'),
  'an execution': ({ executions }) => executions.find('e-1'),
  'the data of an execution': ({ executions }) => executions.findData('e-1'),
  'the list of executions': ({ executions }) => executions.list(listing),
  'a callback': ({ executions }) => executions.findCallback('e-1', 'ask/0/0'),
  'the list of callbacks': ({ callbacks }) => callbacks.list('orders', 10),
  'a registration': ({ registrations }) => registrations.find('name-1'),
  'the list of registrations': ({ registrations }) => registrations.list(),
  'registrations of a type': ({ registrations }) => registrations.listOfType('scheduleTrigger'),
  'a delivery': ({ deliveries }) => deliveries.find('d-1'),
  'a delivery that comes again': ({ deliveries }) => deliveries.claim(claim),
  'the slots of a workflow': ({ slots }) => slots.list(slot.workflowId, 1),
  'a request on record': ({ requests }) => requests.find(workflowId, place),
  'the list of requests': ({ requests }) =>
    collect(requests.scan({ workflowId, kind: 'refused', from: NOW - 1_000, to: NOW + 1_000 })),
};

const readAll = async (stores: Stores): Promise<unknown[]> => {
  const found: unknown[] = [];
  for (const read of Object.values(reads)) found.push(await read(stores));
  return found;
};

describe('what is stored', () => {
  test('has its version in each item', async () => {
    const stores = await openStores();
    await writeAll(stores);
    const items = await allItems(stores);
    expect(new Set(items.map(({ table }) => table))).toEqual(new Set(Object.values(stores.tables)));
    const kinds = items.map(({ item }) => (item.executionId ?? item.deliveryId)?.S?.split(':')[0]);
    expect(kinds).toEqual(expect.arrayContaining(['data', 'callback', 'held', 'slots', 'bucket']));
    const unstated = items.filter(({ item }) => item.schema?.N !== String(SCHEMA_VERSION));
    expect(unstated).toEqual([]);
  });

  // holds: upgrades-read-old-data
  test.each([null, OLDEST_VERSION, SCHEMA_VERSION - 1])('is read when its version is %s', async (version) => {
    const stores = await openStores();
    await writeAll(stores);
    const before = await readAll(stores);
    const others = await openStores();
    await writeAll(others);
    await pretend(others, version);
    const after = await readAll(others);
    expect(after).toEqual(before);
  });

  // holds: upgrades-read-old-data
  test.each([OLDEST_VERSION - 1, SCHEMA_VERSION + 1])(
    'is refused with a clear error when its version is %i',
    async (version) => {
      const stores = await openStores();
      await writeAll(stores);
      await pretend(stores, version);
      for (const [name, read] of Object.entries(reads)) {
        const error = await read(stores).then(
          (value) => ({ name, value }),
          (thrown: unknown) => ({ name, thrown }),
        );
        expect(error).toMatchObject({
          name,
          thrown: {
            code: 'DATA_VERSION_UNSUPPORTED',
            status: 503,
            parameters: { version, oldest: OLDEST_VERSION, newest: SCHEMA_VERSION },
            message: expect.stringMatching(/^Table test-[\w-]+ has an item of schema version \d/),
          },
        });
      }
    },
  );

  test('of the first version lacks an attribute of the second, which tells them apart', async () => {
    const stores = await openStores();
    await writeAll(stores);
    const { sdk, tables, executions } = stores;
    const Key = { executionId: { S: 'e-1' } };
    const UpdateExpression = 'REMOVE #schema, retentionSeconds';
    const names = { ExpressionAttributeNames: { '#schema': 'schema' } };
    await sdk.send(new UpdateItemCommand({ TableName: tables.executions, Key, UpdateExpression, ...names }));
    const refused = { code: 'DATA_VERSION_UNSUPPORTED', parameters: { version: 1 } };
    await expect(executions.find('e-1')).rejects.toMatchObject(refused);
    await expect(executions.list(listing)).rejects.toMatchObject(refused);
  });

  test('keeps its version on update: an update writes no attribute in another form', async () => {
    const stores = await openStores();
    await writeAll(stores);
    await pretend(stores, SCHEMA_VERSION - 1);
    const { executions } = stores;
    await executions.acquireLease('e-1', aLease());
    await executions.saveProgress('e-1', { status: 'running', checkpoints: 'j{}', leaseExpiresAt: NOW });
    await executions.openCallback('e-1', 'ask/0/0', { callbackId: 'c', expiresAt: NOW + 60_000, subject });
    await executions.start(anExecutionStart({ executionId: 'e-4', held: 'paused', startToken: 't-4' }));
    await executions.finish('e-1', anExecutionEnd({ input: 'j{}' }));
    const items = await allItems(stores);
    const versionOf = (id: string) => items.find(({ item }) => item.executionId?.S === id)?.item.schema?.N;
    expect([versionOf('e-1'), versionOf('data:e-1'), versionOf('held:orders/start')]).toEqual([
      '3',
      '3',
      '3',
    ]);
    expect(versionOf('e-4')).toBe('4');
  });
});
