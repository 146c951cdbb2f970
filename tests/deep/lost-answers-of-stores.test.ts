import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject, type StateOperation } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createCallbackIndex } from '../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import type { DynamoDbClient } from '../../lib/adapters/dynamodb/client.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../lib/adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../../lib/adapters/dynamodb/delivery-store.ts';
import { createBulkRetryStore } from '../../lib/adapters/dynamodb/executions/bulk-retry-store.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createHeldQueues } from '../../lib/adapters/dynamodb/held/held-queues.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createCallLimitStore } from '../../lib/adapters/dynamodb/limits/call-limit-store.ts';
import { createRenewalLocks } from '../../lib/adapters/dynamodb/limits/renewal-locks.ts';
import { createSlotStore } from '../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { createNoticeStore } from '../../lib/adapters/dynamodb/notices/notice-store.ts';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { createRequestStore } from '../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSdk, createSdkClient } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { createSettingsStore } from '../../lib/adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import type { TableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { noticeIdOf } from '../../lib/health/notices/notice.ts';
import { createStateFor } from '../../lib/state/execution-state.ts';
import type { StateStore } from '../../lib/state/state-store.ts';
import { aBulkRetry } from '../support/a-bulk-retry.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { aRequestRecord, RECEIVED_AT } from '../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { cases } from '../support/deep.ts';
import { inMemoryValues } from '../support/in-memory-state.ts';
import { NOW as AT_NOTICE, aNotice } from '../support/notice-store-suite.ts';
import { anOutboundCredential } from '../support/outbound-store-suite.ts';
import { aVariable } from '../support/settings-store-suite.ts';
import { aStateEntry } from '../support/state-store-suite.ts';
import { useTestDatabases } from '../support/test-database.ts';

const NOW = RECEIVED_AT;
const clock = { now: () => NOW };

const openStores = (client: DynamoDbClient, tables: TableNames) => ({
  workflows: createWorkflowStore(client, tables, clock),
  credentials: createCredentialStore(client, tables),
  outbound: createOutboundCredentialStore(client, tables),
  executions: createExecutionStore(client, tables, { retentionDays: 30, clock }),
  queues: createHeldQueues(client, tables, { retentionDays: 30 }),
  callbacks: createCallbackIndex(client, tables, clock),
  deliveries: createDeliveryStore(client, tables),
  registrations: createRegistrationStore(client, tables, clock),
  requests: createRequestStore(client, tables, { retentionDays: 7, clock }),
  settings: createSettingsStore(client, tables),
  state: createStateStore(client, tables),
  bulkRetries: createBulkRetryStore(client, tables, { retentionDays: 30, clock }),
  notices: createNoticeStore(client, tables),
  slots: createSlotStore(client, tables),
  takeToken: createTokenBuckets(client, tables),
  locks: createRenewalLocks(client, tables),
  limits: createCallLimitStore(client, tables),
});
type Stores = ReturnType<typeof openStores>;

interface Scenario {
  readonly before?: (stores: Stores) => Promise<unknown>;
  readonly act: (stores: Stores) => Promise<unknown>;
}

const start = anExecutionStart({ workflowId: 'greeting', startedAt: NOW });
const held = anExecutionStart({ workflowId: 'greeting', startedAt: NOW, held: 'paused' });
const queue = { workflowId: 'greeting', triggerNodeId: 'start' };
const end = anExecutionEnd();
const asking: NodeRecord = {
  nodeId: 'ask',
  type: 'approval',
  status: 'failed',
  iteration: 0,
  attempts: 1,
  startedAt: NOW,
  durationMs: 0,
  callbacks: ['ask/0/0'],
};
const credential = { id: 'key', type: 'apiKey', username: null, secrets: [], revision: 1 } as const;
const registration = {
  name: 'nightly',
  workflowId: 'greeting',
  triggerNodeId: 'start',
  nodeType: 'scheduleTrigger',
  parameters: { at: 'midnight' },
};
const claim = {
  deliveryId: 'd-1',
  executionId: 'e-1',
  bodyHash: 'hash',
  claimedAt: NOW,
  until: NOW + 60_000,
};
const bucket = { key: 'b', burst: 3, intervalUs: 1_000_000 };
const slot = { executionId: 'e-1', takenAt: NOW };
const lock = { holder: 'a', until: NOW + 30_000, isWriting: false };
const place = { number: 1, until: NOW + 30_000 };
const bulk = aBulkRetry({ createdAt: NOW });
const BULK = bulk.bulkRetryId;
const NOTICE_ID = noticeIdOf(aNotice());
const lease = { owner: 'p', expiresAt: NOW + 60_000 };
const stop = { state: 'cancelled', reason: 'enough' } as const;
const leaseBulk = async ({ bulkRetries }: Stores) => {
  await bulkRetries.create(bulk, ['e-1', 'e-2', 'e-3']);
  await bulkRetries.acquireLease(BULK, lease, NOW);
};
const startOne = ({ executions }: Stores) => executions.start(start);
const claimOne = ({ registrations }: Stores) => registrations.claim(registration);

const nodeWrites: readonly StateOperation[] = [
  { operation: 'put', key: 'a', value: [1] },
  { operation: 'append', key: 'a', value: 2, maxItems: 9 },
  { operation: 'delete', key: 'a' },
  { operation: 'increment', key: 'n', by: 1 },
  { operation: 'claim', keys: ['b', 'd'], confirmWithinSeconds: 60 },
  { operation: 'confirm', keys: ['b', 'c'] },
];
const runState = (store: StateStore, executionId: string, operation: StateOperation) =>
  createStateFor({ store, values: inMemoryValues().values, clock: { ...clock, sleep: async () => {} } })({
    executionId,
    workflowId: 'greeting',
    retryOf: null,
  })('node/0', new AbortController().signal).run(operation);

/** What each store does with conditional writes, and what comes before it. */
const scenarios: Readonly<Record<string, Scenario>> = {
  'a workflow is put': { act: ({ workflows }) => workflows.put(aWorkflow(), []) },
  'a workflow is changed': {
    before: ({ workflows }) => workflows.put(aWorkflow(), []),
    act: ({ workflows }) => workflows.put(aWorkflow({ name: 'New' }), [], { replaces: 1 }),
  },
  'a workflow is removed': {
    before: ({ workflows }) => workflows.put(aWorkflow(), []),
    act: ({ workflows }) => workflows.remove('greeting'),
  },
  'a removed workflow is put again': {
    before: async ({ workflows }) => {
      await workflows.put(aWorkflow(), []);
      await workflows.remove('greeting');
    },
    act: ({ workflows }) => workflows.put(aWorkflow(), []),
  },
  'a credential is created': { act: ({ credentials }) => credentials.put(credential) },
  'a credential is rotated': {
    before: ({ credentials }) => credentials.put(credential),
    act: ({ credentials }) => credentials.put({ ...credential, revision: 2 }),
  },
  'a credential is created that is there': {
    before: ({ credentials }) => credentials.put({ ...credential, type: 'basic' }),
    act: ({ credentials }) => credentials.put(credential),
  },
  'variables are set': { act: ({ settings }) => settings.put('variables', { content: [], revision: 1 }) },
  'variables are set that are set': {
    before: ({ settings }) => settings.put('variables', { content: [], revision: 1 }),
    act: ({ settings }) => settings.put('variables', { content: [aVariable()], revision: 1 }),
  },
  'a notice is raised': { act: ({ notices }) => notices.raise(aNotice()) },
  'a notice is counted': {
    before: ({ notices }) => notices.raise(aNotice()),
    act: ({ notices }) => notices.raise(aNotice({ executionId: 'e-2' })),
  },
  'a notice is settled, and opened again': {
    before: ({ notices }) => notices.raise(aNotice()),
    act: async ({ notices }) => [
      await notices.settle(NOTICE_ID, AT_NOTICE),
      await notices.raise(aNotice({ executionId: 'e-2', at: AT_NOTICE + 1 })),
    ],
  },
  'a notice is marked as sent, and removed': {
    before: ({ notices }) => notices.raise(aNotice()),
    act: async ({ notices }) => {
      const sent = { firstAt: AT_NOTICE, count: 1, isSettled: false, at: NOW };
      await notices.markSent(NOTICE_ID, 'mail/notice', sent);
      return notices.remove({ id: NOTICE_ID, lastAt: AT_NOTICE, count: 1 });
    },
  },
  'a message to a receiver is stored': {
    act: ({ notices }) =>
      notices.putReceiver('mail/notice', { number: 1, sentAt: NOW, outgoing: { message: {}, marks: {} } }, 0),
  },
  'an entry of state is written': { act: ({ state }) => state.put(aStateEntry(), null) },
  'an entry of state is written again': {
    before: ({ state }) => state.put(aStateEntry(), null),
    act: ({ state }) => state.put(aStateEntry({ version: 2 }), 1),
  },
  'an entry of state is written that another has written': {
    before: ({ state }) => state.put(aStateEntry({ content: { kind: 'value', value: 'other' } }), null),
    act: ({ state }) => state.put(aStateEntry(), null),
  },
  'an effect of state is kept': {
    act: ({ state }) => state.keepEffect({ id: 'effect-1', result: { version: 1 }, at: NOW }),
  },
  ...Object.fromEntries(
    nodeWrites.map((operation) => [
      `a node with ${operation.operation} writes what another has written`,
      {
        before: async ({ state }: Stores) => {
          await runState(state, 'e-1', { operation: 'put', key: 'a', value: [0] });
          await runState(state, 'e-1', { operation: 'increment', key: 'n', by: 1 });
          await runState(state, 'e-1', { operation: 'claim', keys: ['b'], confirmWithinSeconds: 60 });
        },
        act: ({ state }: Stores) => runState(state, 'e-2', operation),
      },
    ]),
  ),
  'a credential for calling out is created': { act: ({ outbound }) => outbound.put(anOutboundCredential()) },
  'a credential for calling out is rotated': {
    before: ({ outbound }) => outbound.put(anOutboundCredential()),
    act: ({ outbound }) => outbound.put(anOutboundCredential({ revision: 2 })),
  },
  'a credential for calling out is removed': {
    before: ({ outbound }) => outbound.put(anOutboundCredential()),
    act: ({ outbound }) => outbound.remove(anOutboundCredential()),
  },
  'an execution starts': { act: startOne },
  'an execution starts that another has started': {
    before: startOne,
    act: ({ executions }) => executions.start({ ...start, startToken: 'another' }),
  },
  'an execution is held': { act: ({ executions }) => executions.start(held) },
  'an execution is recorded at its end': {
    act: ({ executions }) => executions.startAndFinish(start, { ...end, input: 'j1' }),
  },
  'an execution is withdrawn': {
    before: startOne,
    act: ({ executions }) => executions.withdraw('e-1', start.startToken),
  },
  'an execution is leased': {
    before: startOne,
    act: ({ executions }) => executions.acquireLease('e-1', aLease()),
  },
  'an execution is resumed': {
    before: async (stores) => {
      await startOne(stores);
      await stores.executions.acquireLease('e-1', aLease());
    },
    act: ({ executions }) => executions.acquireLease('e-1', aLease({ invocations: 2 })),
  },
  'an execution is dispatched again': {
    before: startOne,
    act: ({ executions }) => executions.redispatch('e-1', { redispatches: 1, leaseExpiresAt: NOW + 1 }),
  },
  'an execution makes progress': {
    before: startOne,
    act: ({ executions }) =>
      executions.saveProgress('e-1', {
        status: 'running',
        nodes: [],
        leaseExpiresAt: NOW,
        checkpoints: 'j{}',
      }),
  },
  'an execution ends': { before: startOne, act: ({ executions }) => executions.finish('e-1', end) },
  'an execution ends that waited for an answer': {
    before: async (stores) => {
      await startOne(stores);
      const subject = { executionId: 'e-1', workflowId: 'greeting', name: 'ask/0/0', openedAt: NOW };
      await stores.executions.openCallback('e-1', 'ask/0/0', {
        callbackId: 'c',
        expiresAt: NOW + 60_000,
        subject: { ...subject, publicUrl: 'https://example.com', question: {} },
      });
    },
    act: ({ executions }) => executions.finish('e-1', { ...end, status: 'cancelled', nodes: [asking] }),
  },
  'an execution ends that has ended otherwise': {
    before: async (stores) => {
      await startOne(stores);
      await stores.executions.finish('e-1', { ...end, status: 'cancelled' });
    },
    act: ({ executions }) => executions.finish('e-1', end),
  },
  'an end is published': {
    before: ({ executions }) => executions.startAndFinish(start, { ...end, isInOutbox: true }),
    act: ({ executions }) => executions.markPublished('e-1'),
  },
  'a lease is extended': {
    before: startOne,
    act: ({ executions }) => executions.extendLease({ executionId: 'e-1', status: 'accepted' }, NOW),
  },
  'a callback is opened': {
    before: startOne,
    act: ({ executions }) => executions.openCallback('e-1', 'ask/0/0', { callbackId: 'c', expiresAt: NOW }),
  },
  'a callback is answered': {
    before: ({ executions }) =>
      executions.openCallback('e-1', 'ask/0/0', { callbackId: 'c', expiresAt: NOW }),
    act: ({ callbacks }) => callbacks.close('e-1', 'ask/0/0', { decision: 'approve', at: NOW }),
  },
  'a held execution is released': {
    before: ({ executions }) => executions.start(held),
    act: ({ queues }) =>
      queues.release('e-1', {
        workflowVersion: 4,
        mode: 'durable',
        acceptedMode: 'express',
        releasedAt: NOW + 1,
      }),
  },
  'a queue is entered': {
    before: ({ executions }) => executions.start(held),
    act: ({ queues }) => queues.enter(queue, { now: NOW, maxPlace: 2 }),
  },
  'a queue without a place is entered': {
    before: ({ executions }) => executions.start(held),
    act: ({ queues }) => queues.enter(queue, { now: NOW, maxPlace: 1 }),
  },
  'a queue is attended to': {
    before: ({ executions }) => executions.start(held),
    act: ({ queues }) => queues.attend(queue, NOW, NOW + 60_000),
  },
  'a queue is attended to by another one': {
    before: async ({ executions, queues }) => {
      await executions.start(held);
      await queues.attend(queue, NOW, NOW + 60_000);
    },
    act: ({ queues }) => queues.attend(queue, NOW + 1, NOW + 60_001),
  },
  'a queue is left': {
    before: async ({ executions, queues }) => {
      await executions.start(held);
      await queues.attend(queue, NOW, NOW + 60_000);
    },
    act: ({ queues }) => queues.leave(queue),
  },
  'a queue is closed': {
    before: ({ executions }) => executions.start(held),
    act: ({ queues }) => queues.close(queue, NOW + 1),
  },
  'a delivery is claimed': { act: ({ deliveries }) => deliveries.claim(claim) },
  'a delivery is claimed that another has claimed': {
    before: ({ deliveries }) => deliveries.claim(claim),
    act: ({ deliveries }) => deliveries.claim({ ...claim, executionId: 'e-2', claimedAt: NOW + 1 }),
  },
  'a delivery is claimed whose window has passed': {
    before: ({ deliveries }) => deliveries.claim({ ...claim, until: NOW - 1 }),
    act: ({ deliveries }) => deliveries.claim({ ...claim, executionId: 'e-2' }),
  },
  'a registration is claimed': { act: claimOne },
  'a registration is claimed again': { before: claimOne, act: claimOne },
  'a registration is changed': {
    before: claimOne,
    act: ({ registrations }) =>
      registrations.change({ ...registration, state: 'pending', changedAt: NOW, revision: 1 }, 'registered'),
  },
  'a registration is changed that another has changed': {
    before: async (stores) => stores.registrations.change(await claimOne(stores), 'leaving'),
    act: ({ registrations }) =>
      registrations.change({ ...registration, state: 'pending', changedAt: NOW, revision: 1 }, 'registered'),
  },
  'a registration is removed': {
    before: claimOne,
    act: ({ registrations }) =>
      registrations.remove({ ...registration, state: 'pending', changedAt: NOW, revision: 1 }),
  },
  'a request is recorded': { act: ({ requests }) => requests.put(aRequestRecord({ body: 'b'.repeat(900) })) },
  'a request is recorded whose place is taken': {
    before: ({ requests }) => requests.put(aRequestRecord()),
    act: ({ requests }) => requests.put(aRequestRecord({ requestId: 'request-2' })),
  },
  'a bulk retry is created': { act: ({ bulkRetries }) => bulkRetries.create(bulk, ['e-1', 'e-2', 'e-3']) },
  'a bulk retry is leased': {
    before: ({ bulkRetries }) => bulkRetries.create(bulk, []),
    act: ({ bulkRetries }) => bulkRetries.acquireLease(BULK, lease, NOW),
  },
  'a bulk retry is leased that another process runs': {
    before: leaseBulk,
    act: ({ bulkRetries }) => bulkRetries.acquireLease(BULK, { ...lease, owner: 'q' }, NOW),
  },
  'a bulk retry makes progress': {
    before: leaseBulk,
    act: ({ bulkRetries }) =>
      bulkRetries.save(BULK, { marks: '+o.', refused: [], stop: null, endedAt: null }, lease),
  },
  'a bulk retry ends': {
    before: leaseBulk,
    act: ({ bulkRetries }) =>
      bulkRetries.save(BULK, { marks: '+--', refused: [], stop: null, endedAt: NOW }, lease),
  },
  'a bulk retry is stopped': { before: leaseBulk, act: ({ bulkRetries }) => bulkRetries.stop(BULK, stop) },
  'a bulk retry is stopped that has been stopped': {
    before: async (stores) => {
      await leaseBulk(stores);
      await stores.bulkRetries.stop(BULK, stop);
    },
    act: ({ bulkRetries }) => bulkRetries.stop(BULK, { ...stop, reason: 'again' }),
  },
  'a slot is taken': {
    before: ({ slots }) =>
      slots.take({
        workflowId: 'greeting',
        group: 0,
        slot: { ...slot, executionId: 'e-0' },
        max: 1,
        ended: [],
      }),
    act: ({ slots }) =>
      slots.take({
        workflowId: 'greeting',
        group: 0,
        slot,
        max: 1,
        ended: [{ ...slot, executionId: 'e-0' }],
      }),
  },
  'a token is taken from a full bucket': { act: ({ takeToken }) => takeToken(bucket, NOW * 1_000, null) },
  'a token is taken from a used bucket': {
    before: ({ takeToken }) => takeToken(bucket, NOW * 1_000, null),
    act: ({ takeToken }) => takeToken(bucket, NOW * 1_000, NOW * 1_000 + bucket.intervalUs),
  },
  'the renewal of a secret is locked': { act: ({ locks }) => locks.take('crm', lock, NOW) },
  'the renewal of a secret is locked that another has locked': {
    before: ({ locks }) => locks.take('crm', { ...lock, holder: 'other' }, NOW),
    act: ({ locks }) => locks.take('crm', lock, NOW),
  },
  'a renewal that has locked the secret begins to write it': {
    before: ({ locks }) => locks.take('crm', lock, NOW),
    act: ({ locks }) => locks.beginWriting('crm', lock),
  },
  'the lock of a renewal is taken over': {
    before: ({ locks }) => locks.take('crm', { ...lock, holder: 'other' }, NOW),
    act: ({ locks }) => locks.takeOver('crm', { ...lock, isWriting: true }, NOW),
  },
  'the lock of a renewal is released': {
    before: ({ locks }) => locks.take('crm', lock, NOW),
    act: ({ locks }) => locks.release('crm', lock.holder, NOW, null),
  },
  'a place for a call is taken': { act: ({ limits }) => limits.enter('crm', place, NOW) },
  'a place for a call is taken that another has': {
    before: ({ limits }) => limits.enter('crm', { ...place, until: NOW + 1 }, NOW),
    act: ({ limits }) => limits.enter('crm', place, NOW),
  },
  'a place for a call is left': {
    before: ({ limits }) => limits.enter('crm', place, NOW),
    act: ({ limits }) => limits.leave('crm', place, null),
  },
  'all calls of a limit are paused': {
    before: ({ limits }) =>
      limits.reserve('crm', { now: NOW, latest: NOW, intervalMs: 9_000, knownNextAt: null }),
    act: ({ limits }) => limits.pause('crm', NOW + 5_000, NOW),
  },
};

const openDatabase = useTestDatabases();
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const clientOfFunctions = (endpoint: string) => createJsonClient({ region: 'local', endpoint });
const clientOfCommandLine = (endpoint: string) => {
  const sdk = createSdk(endpoint);
  cleanups.push(() => sdk.destroy());
  return createSdkClient(sdk);
};

/** Runs a scenario. @param lost - the write whose answer is lost once; null: none */
const run = async (
  { before, act }: Scenario,
  clientOf: (endpoint: string) => DynamoDbClient,
  lost: number | null,
) => {
  const { client: direct, tables, endpoint } = await openDatabase();
  let decide = (_operation: string): Fault => 'pass';
  const proxy = await startFaultProxy(endpoint, (operation) => decide(operation));
  cleanups.push(proxy.stop);
  await before?.(openStores(direct, tables));
  let writes = 0;
  decide = (operation) => {
    if (!['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)) return 'pass';
    return writes++ === lost ? 'lose the reply' : 'pass';
  };
  const output = await act(openStores(clientOf(proxy.endpoint), tables)).catch((error: unknown) => error);
  const stored = await Promise.all(
    Object.values(tables).map(async (TableName) =>
      ((await direct.scan({ TableName })).Items ?? [])
        // The number of writes is as they are billed: a repeated one, too.
        .map(({ takenBy: _random, n: _writes, ...item }) => JSON.stringify(Object.entries(item).sort()))
        .sort(),
    ),
  );
  return { end: { output: withoutWrites(output), stored }, writes };
};

const withoutWrites = (output: unknown): unknown => {
  if (!isPlainObject(output) || !('writes' in output)) return output;
  const { writes: _, ...others } = output;
  return others;
};

const all = Object.entries(scenarios);
const ofCommandLine = all.filter(([name]) => /a (removed )?workflow/.test(name));

describe.each([
  ['functions', clientOfFunctions, all],
  ['command line', clientOfCommandLine, cases(ofCommandLine, all)],
] as const)('through the client of the %s', (_client, clientOf, own) => {
  test.each(own)('%s has the same result when the response of a write is lost', async (_name, scenario) => {
    const { end: expected, writes } = await run(scenario, clientOf, null);
    expect(writes).toBeGreaterThan(0);
    for (let lost = 0; lost < writes; lost++)
      expect((await run(scenario, clientOf, lost)).end).toEqual(expected);
  });
});

test('a similar write by another process is never taken for our own at the first try', async () => {
  const { client, tables } = await openDatabase();
  const { credentials, registrations, takeToken, slots } = openStores(client, tables);
  await credentials.put(credential);
  await expect(credentials.put(credential)).rejects.toMatchObject({ code: 'CREDENTIAL_CHANGED' });
  const claimed = await registrations.claim(registration);
  await registrations.change(claimed, 'registered');
  expect(await registrations.change(claimed, 'registered')).toBeNull();
  expect(await registrations.remove(claimed)).toBe(false);
  expect(await slots.take({ workflowId: 'greeting', group: 0, slot, max: 2, ended: [] })).toBe(true);
  expect(await slots.take({ workflowId: 'greeting', group: 0, slot, max: 2, ended: [] })).toBe(false);
  await Promise.all([1, 2, 3].map(() => takeToken(bucket, NOW * 1_000, null)));
  expect(await takeToken(bucket, NOW * 1_000, null)).toMatchObject({ isTaken: false });
});

test('every write of every store handles lost responses', () => {
  const folder = join(import.meta.dirname, '../../lib/adapters/dynamodb');
  const stores = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(items|client|json-client|sdk-client)\.ts$/.test(file),
  );
  const direct = stores.filter((file) =>
    /\.(put|update|delete|batchWrite)Item\(/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(stores.length).toBeGreaterThan(20);
  expect(direct).toEqual([]);
});
