import { afterEach, describe, expect, test } from '@jest/globals';
import type { Timeouts } from '../../lib/adapters/aws/aws-caller.ts';
import { createCallbackIndex } from '../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import {
  createCredentialStore,
  createOutboundCredentialStore,
} from '../../lib/adapters/dynamodb/credential-stores.ts';
import { createDeliveryStore } from '../../lib/adapters/dynamodb/delivery-store.ts';
import { createBulkRetryStore } from '../../lib/adapters/dynamodb/executions/bulk-retry-store.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createListDefinitions } from '../../lib/adapters/dynamodb/health/health-reads.ts';
import { createHeldQueues } from '../../lib/adapters/dynamodb/held/held-queues.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createSlotStore } from '../../lib/adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { createNoticeStore } from '../../lib/adapters/dynamodb/notices/notice-store.ts';
import { createRegistrationStore } from '../../lib/adapters/dynamodb/registrations/registration-store.ts';
import { createRequestStore } from '../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSettingsStore } from '../../lib/adapters/dynamodb/settings-store.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { isAppError } from '../../lib/shared/errors.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { aBulkRetry } from '../support/a-bulk-retry.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { aRequestRecord } from '../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart, dueIn } from '../support/a-start.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { aNotice } from '../support/notice-store-suite.ts';
import { anOutboundCredential } from '../support/outbound-store-suite.ts';
import { aStateEntry } from '../support/state-store-suite.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const clock = { now: () => 1_700_000_000_000 };

/** The stores behind a fault-injecting proxy. */
const open = async (timeouts?: Timeouts) => {
  let decide: Parameters<typeof startFaultProxy>[1] = () => 'pass';
  const { tables, endpoint, client: direct } = await openDatabase();
  const proxy = await startFaultProxy(endpoint, (...call) => decide(...call));
  const client = createJsonClient({
    region: 'local',
    endpoint: proxy.endpoint,
    ...(timeouts === undefined ? {} : { timeouts }),
  });
  cleanups.push(proxy.stop);
  const items = async (table: string) => (await direct.scan({ TableName: table })).Items ?? [];
  return {
    tables,
    items,
    misbehave: (next: typeof decide) => {
      decide = next;
    },
    workflows: createWorkflowStore(client, tables, clock),
    credentials: createCredentialStore(client, tables),
    outbound: createOutboundCredentialStore(client, tables),
    deliveries: createDeliveryStore(client, tables),
    callbacks: createCallbackIndex(client, tables, { now: () => 1_700_000_000_000 }),
    queues: createHeldQueues(client, tables, { retentionDays: 30 }),
    registrations: createRegistrationStore(client, tables, clock),
    requests: createRequestStore(client, tables, { retentionDays: 7, clock }),
    settings: createSettingsStore(client, tables),
    state: createStateStore(client, tables),
    bulkRetries: createBulkRetryStore(client, tables, { retentionDays: 30, clock }),
    notices: createNoticeStore(client, tables),
    slots: createSlotStore(client, tables),
    takeToken: createTokenBuckets(client, tables),
    listDefinitions: createListDefinitions(client, tables),
    executions: createExecutionStore(client, tables, {
      retentionDays: 30,
      clock: { now: () => 1_700_000_000_000 },
    }),
  };
};

const aClaim = () => ({
  deliveryId: 'd-1',
  executionId: 'e-1',
  bodyHash: 'hash',
  claimedAt: 1_700_000_000_000,
  until: 1_700_000_060_000,
});
const start = anExecutionStart({ workflowId: 'greeting' });
const end = anExecutionEnd();
const queue = { workflowId: 'greeting', triggerNodeId: 'start' };
const slot = { executionId: 'e-1', takenAt: 1 };
const registration = {
  name: 'nightly',
  workflowId: 'greeting',
  triggerNodeId: 'start',
  nodeType: 'scheduleTrigger',
  parameters: { at: 'midnight' },
};
const credential = { id: 'key', type: 'apiKey', username: null, secrets: [], revision: 1 } as const;

type Stores = Awaited<ReturnType<typeof open>>;
const calls: [string, (stores: Stores) => Promise<unknown>][] = [
  ['workflows.find', ({ workflows }) => workflows.find('greeting')],
  ['workflows.findVersion', ({ workflows }) => workflows.findVersion('greeting', 1)],
  ['workflows.put', ({ workflows }) => workflows.put(aWorkflow(), [])],
  ['workflows.remove', ({ workflows }) => workflows.remove('greeting')],
  ['workflows.list', ({ workflows }) => workflows.list()],
  ['credentials.find', ({ credentials }) => credentials.find('key')],
  ['credentials.put', ({ credentials }) => credentials.put(credential)],
  ['credentials.list', ({ credentials }) => credentials.list()],
  ['outbound.find', ({ outbound }) => outbound.find('crm')],
  ['outbound.put', ({ outbound }) => outbound.put(anOutboundCredential())],
  ['outbound.remove', ({ outbound }) => outbound.remove({ id: 'crm', revision: 1 })],
  ['outbound.list', ({ outbound }) => outbound.list()],
  ['settings.find', ({ settings }) => settings.find('variables')],
  ['settings.put', ({ settings }) => settings.put('variables', { content: [], revision: 1 })],
  ['state.find', ({ state }) => state.find('workflow:shop', 'a')],
  ['state.put', ({ state }) => state.put(aStateEntry(), null)],
  ['state.findEffect', ({ state }) => state.findEffect('effect')],
  ['state.keepEffect', ({ state }) => state.keepEffect({ id: 'effect', result: {}, at: 1 })],
  ['state.list', ({ state }) => state.list('workflow:shop', { prefix: '', after: null, limit: 10 })],
  ['executions.start', ({ executions }) => executions.start(start)],
  ['executions.startAndFinish', ({ executions }) => executions.startAndFinish(start, end)],
  ['executions.finish', ({ executions }) => executions.finish('e-1', end)],
  ['executions.find', ({ executions }) => executions.find('e-1')],
  ['executions.findData', ({ executions }) => executions.findData('e-1')],
  ['executions.withdraw', ({ executions }) => executions.withdraw('e-1', 'token-1')],
  [
    'executions.begin',
    ({ executions }) => executions.acquireLease('e-1', aLease({ leaseOwner: 'o', leaseExpiresAt: 1 })),
  ],
  [
    'executions.saveProgress',
    ({ executions }) => executions.saveProgress('e-1', { status: 'running', nodes: [], leaseExpiresAt: 1 }),
  ],
  [
    'executions.openCallback',
    ({ executions }) => executions.openCallback('e-1', 'ask/0/0', { callbackId: 'c', expiresAt: 1 }),
  ],
  ['callbacks.list', ({ callbacks }) => callbacks.list('greeting', 10)],
  ['callbacks.close', ({ callbacks }) => callbacks.close('e-1', 'ask/0/0', { decision: 'approve', at: 1 })],
  ['executions.markPublished', ({ executions }) => executions.markPublished('e-1')],
  [
    'executions.extendLease',
    ({ executions }) => executions.extendLease({ executionId: 'e-1', status: 'accepted' }, 1),
  ],
  [
    'executions.redispatch',
    ({ executions }) => executions.redispatch('e-1', { redispatches: 1, leaseExpiresAt: 1 }),
  ],
  [
    'executions.listEnd',
    ({ executions }) => executions.listEnd({ executionId: 'e-1', status: 'failed', isInOutbox: false }),
  ],
  ['executions.list', ({ executions }) => executions.list({ workflowId: 'greeting', limit: 10 })],
  ['executions.list of all', ({ executions }) => executions.list({ workflowId: null, limit: 10 })],
  [
    'executions.list of failed ones',
    ({ executions }) => executions.list({ workflowId: null, statuses: ['failed'], limit: 10 }),
  ],
  [
    'executions.list of open ones',
    ({ executions }) => executions.list({ workflowId: null, statuses: ['running'], limit: 10 }),
  ],
  ['callbacks.list of all', ({ callbacks }) => callbacks.list(null, 10)],
  ['executions.findDue', ({ executions }) => dueIn(executions, 1)],
  ['deliveries.claim', ({ deliveries }) => deliveries.claim(aClaim())],
  ['workflows.readPage', ({ workflows }) => workflows.readPage(null)],
  ['listDefinitions', ({ listDefinitions }) => listDefinitions()],
  ['registrations.find', ({ registrations }) => registrations.find('nightly')],
  ['registrations.namesOf', ({ registrations }) => registrations.namesOf('greeting')],
  ['registrations.list', ({ registrations }) => registrations.list()],
  ['registrations.listOfType', ({ registrations }) => registrations.listOfType('scheduleTrigger')],
  ['registrations.claim', ({ registrations }) => registrations.claim(registration)],
  ['queues.list', ({ queues }) => readAll(queues.list())],
  ['queues.find', ({ queues }) => readAll(queues.find(queue))],
  ['queues.measure', ({ queues }) => queues.measure(queue)],
  ['queues.enter', ({ queues }) => queues.enter(queue, { now: 1, maxPlace: 9 })],
  ['queues.attend', ({ queues }) => queues.attend(queue, 1, 2)],
  ['queues.leave', ({ queues }) => queues.leave(queue)],
  ['queues.close', ({ queues }) => queues.close(queue, 1)],
  [
    'queues.release',
    ({ queues }) =>
      queues.release('e-1', {
        workflowVersion: 1,
        mode: 'durable',
        acceptedMode: 'express',
        releasedAt: 1,
      }),
  ],
  ['slots.take', ({ slots }) => slots.take({ workflowId: 'greeting', group: 0, slot, max: 1, ended: [] })],
  ['slots.list', ({ slots }) => slots.list('greeting', 7)],
  ['takeToken', ({ takeToken }) => takeToken({ key: 'b', burst: 3, intervalUs: 1_000_000 }, 1, null)],
  ['requests.put', ({ requests }) => requests.put(aRequestRecord())],
  ['bulkRetries.create', ({ bulkRetries }) => bulkRetries.create(aBulkRetry(), ['e-1'])],
  ['bulkRetries.find', ({ bulkRetries }) => bulkRetries.find('b-1')],
  ['bulkRetries.findExecutions', ({ bulkRetries }) => bulkRetries.findExecutions('b-1')],
  ['bulkRetries.list', ({ bulkRetries }) => bulkRetries.list(10, null)],
  ['bulkRetries.findActive', ({ bulkRetries }) => bulkRetries.findActive()],
  [
    'bulkRetries.acquireLease',
    ({ bulkRetries }) => bulkRetries.acquireLease('b-1', { owner: 'p', expiresAt: 2 }, 1),
  ],
  [
    'bulkRetries.save',
    ({ bulkRetries }) =>
      bulkRetries.save(
        'b-1',
        { marks: '.', refused: [], stop: null, endedAt: null },
        { owner: 'p', expiresAt: 2 },
      ),
  ],
  ['notices.raise', ({ notices }) => notices.raise(aNotice())],
  ['notices.settle', ({ notices }) => notices.settle('n', 1)],
  ['notices.list', ({ notices }) => notices.list()],
  ['notices.hasAny', ({ notices }) => notices.hasAny()],
  ['notices.remove', ({ notices }) => notices.remove({ id: 'n', lastAt: 1, count: 1 })],
  [
    'notices.markSent',
    ({ notices }) => notices.markSent('n', 'mail/notice', { firstAt: 1, count: 1, isSettled: false, at: 1 }),
  ],
  ['notices.findReceiver', ({ notices }) => notices.findReceiver('mail/notice')],
  [
    'notices.putReceiver',
    ({ notices }) => notices.putReceiver('mail/notice', { number: 1, sentAt: 1, outgoing: null }, 0),
  ],
  ['bulkRetries.stop', ({ bulkRetries }) => bulkRetries.stop('b-1', { state: 'cancelled', reason: 'no' })],
];

const readAll = async (values: AsyncIterable<unknown>): Promise<void> => {
  for await (const _value of values);
};

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => error,
  );

describe('an unavailable store', () => {
  // All calls at once: most of the time the client waits before its next try.
  test.each<Fault>(['fail', 'reset', 'html', 'throttle', 'rubbish', 'cut', 'nothing'])(
    'is STORE_UNAVAILABLE for every call: %s',
    async (fault) => {
      const stores = await open({ connectMs: 1_000, exchangeMs: 100 });
      stores.misbehave(() => fault);
      const outcomes = calls.map(async ([name, call]) => {
        const error = await outcome(call(stores));
        return [name, isAppError(error) ? error.code : error];
      });
      expect(await Promise.all(outcomes)).toEqual(calls.map(([name]) => [name, 'STORE_UNAVAILABLE']));
      for (const table of Object.values(stores.tables)) expect(await stores.items(table)).toEqual([]);
    },
  );

  test.each(calls)('for a moment is not noticed by %s', async (_name, call) => {
    const stores = await open();
    stores.misbehave((_operation, _table, count) => (count === 0 ? 'reset' : 'pass'));
    expect(await outcome(call(stores))).toBe('done');
  });

  test('a bug is not reported as an outage', async () => {
    const stores = await open();
    const error = await outcome(stores.workflows.find(''));
    expect(isAppError(error)).toBe(false);
    expect(error).toMatchObject({ name: 'ValidationException' });
  });
});

describe('an interrupted change', () => {
  test('between archive and replacement leaves the version before current, and can be repeated', async () => {
    const stores = await open();
    await stores.workflows.put(aWorkflow(), []);
    stores.misbehave((operation, table) =>
      operation === 'PutItem' && table === stores.tables.workflows ? 'fail' : 'pass',
    );
    expect(
      isAppError(await outcome(stores.workflows.put(aWorkflow({ name: 'New' }), [])), 'STORE_UNAVAILABLE'),
    ).toBe(true);
    stores.misbehave(() => 'pass');
    expect(await stores.workflows.find('greeting')).toMatchObject({
      version: 1,
      definition: { name: 'Greeting' },
    });
    expect(await stores.workflows.put(aWorkflow({ name: 'New' }), [])).toEqual({ version: 2, changed: true });
    expect((await stores.workflows.findVersion('greeting', 1))?.definition.name).toBe('Greeting');
  });

  test.each<[string, (stores: Stores) => Promise<unknown>]>([
    ['a start', ({ executions }) => executions.start(start)],
    ['a withdrawal', ({ executions }) => executions.withdraw('e-1', 'token-1')],
    ['an end', ({ executions }) => executions.finish('e-1', end)],
  ])('%s whose response is lost, and which is sent again, is recognised as our own', async (what, call) => {
    const stores = await open();
    if (what !== 'a start') await stores.executions.start(start);
    let count = 0;
    stores.misbehave(() => (count++ === 0 ? 'lose the reply' : 'pass'));
    expect(await call(stores)).toBe(true);
  });

  test('a start whose response never comes, and which is sent again, is recognised as our own', async () => {
    const { executions, misbehave } = await open({ connectMs: 1_000, exchangeMs: 500 });
    misbehave((_operation, _table, count) => (count === 0 ? 'keep the reply' : 'pass'));
    expect(await executions.start(start)).toBe(true);
  });

  test('a claim whose response is lost, and which is sent again, is our own', async () => {
    const { deliveries, misbehave } = await open();
    misbehave((_operation, _table, count) => (count === 0 ? 'lose the reply' : 'pass'));
    expect(await deliveries.claim(aClaim())).toEqual(aClaim());
  });

  test('a start by another process is never taken for our own', async () => {
    const { executions, misbehave } = await open();
    await executions.start(start);
    misbehave((_operation, _table, count) => (count === 1 ? 'lose the reply' : 'pass'));
    expect(await executions.start({ ...start, startToken: 'another' })).toBe(false);
  });
});

describe('a read that decides', () => {
  test.each<[string, (stores: Stores) => Promise<unknown>]>([
    ['a record', ({ executions }) => executions.find('e-1')],
    ['a callback', ({ executions }) => executions.findCallback('e-1', 'ask/0/0')],
    ['a version, current or archived', ({ workflows }) => workflows.findVersion('greeting', 7)],
    ['a claim that was there before', ({ deliveries }) => deliveries.claim(aClaim())],
  ])('of %s is consistent', async (_what, read) => {
    const stores = await open();
    await stores.workflows.put(aWorkflow(), []);
    await stores.deliveries.claim(aClaim());
    const reads: unknown[] = [];
    stores.misbehave((operation, _table, _count, { ConsistentRead }) => {
      if (operation === 'GetItem') reads.push(ConsistentRead);
      return 'pass';
    });
    await read(stores);
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.every((isConsistent) => isConsistent === true)).toBe(true);
  });
});

describe('a record is kept', () => {
  const DAY = 86_400;
  const atDay = async (day: number) => {
    const { client, tables } = await openDatabase();
    const time = { ms: 1_700_000_000_000 };
    const store = (retentionDays: number) =>
      createExecutionStore(client, tables, { retentionDays, clock: { now: () => time.ms } });
    const expiry = async () => {
      const { Items = [] } = await client.scan({ TableName: tables.executions });
      return Number(Items[0]?.expiresAt?.N) - 1_700_000_000;
    };
    return { store, expiry, pass: () => (time.ms += day * DAY * 1_000) };
  };

  // holds: kept-as-long-as-needed
  test('for the days after its end that its start set, whatever ends it', async () => {
    const { store, expiry, pass } = await atDay(3);
    await store(5).start(start);
    pass();
    await store(30).finish('e-1', end);
    expect(await expiry()).toBe((3 + 5) * DAY);
  });

  test.each<[string, (executions: Stores['executions']) => Promise<unknown>]>([
    ['begins or continues', (executions) => executions.acquireLease('e-1', aLease())],
    [
      'makes progress',
      (executions) => executions.saveProgress('e-1', { status: 'running', nodes: [], leaseExpiresAt: 1 }),
    ],
  ])('for 400 days since it last %s, while it is open', async (_what, act) => {
    const { store, expiry, pass } = await atDay(50);
    await store(5).start(start);
    expect(await expiry()).toBe(400 * DAY);
    pass();
    await act(store(5));
    expect(await expiry()).toBe((50 + 400) * DAY);
  });
});

describe('stored data', () => {
  test('never has an item of more than 400 KB: the embedded store refuses it as AWS does', async () => {
    const { client, tables } = await openDatabase();
    const key = { executionId: { S: 'e-1' } };
    const TableName = tables.executions;
    const write = (bytes: number) =>
      client.updateItem({
        TableName,
        Key: key,
        UpdateExpression: 'SET #more = :more',
        ExpressionAttributeNames: { '#more': `more${bytes}` },
        ExpressionAttributeValues: { ':more': { S: 'x'.repeat(bytes) } },
      });
    await write(300_000);
    expect(await outcome(write(120_000))).toMatchObject({ name: 'ValidationException' });
  });

  test('one of ten concurrent writers wins, and the others get WORKFLOW_CHANGED', async () => {
    const { workflows } = await open();
    await workflows.put(aWorkflow(), []);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) => outcome(workflows.put(aWorkflow({ name: `N${at}` }), []))),
    );
    const lost = outcomes.filter((result) => result !== 'done');
    expect(lost.every((error) => isAppError(error, 'WORKFLOW_CHANGED'))).toBe(true);
    expect((await workflows.find('greeting'))?.version).toBe(1 + 10 - lost.length);
  });

  test('a list has all workflows, over any number of pages', async () => {
    const { workflows } = await open();
    const notes = 'x'.repeat(150_000);
    for (let at = 0; at < 12; at++) await workflows.put(aWorkflow({ id: `w${at}`, description: notes }), []);
    expect(await workflows.list()).toHaveLength(12);
  });

  const webhooks = Array.from({ length: 4_500 }, (_, at) => aTrigger({ path: `p${at}` }, { id: `t${at}` }));
  test.each([
    ['a definition', aWorkflow({ description: 'x'.repeat(400_000) })],
    ['a name, which the list needs apart,', aWorkflow({ name: 'x'.repeat(250_000) })],
    ['webhooks', aWorkflow({ nodes: webhooks, connections: [] })],
  ])('%s that no item can hold is refused with its size', async (_what, definition) => {
    const { workflows, tables, items } = await open();
    const error = await outcome(workflows.put(definition, toPathConfigs(definition)));
    expect(isAppError(error, 'WORKFLOW_TOO_LARGE')).toBe(true);
    expect(await items(tables.workflows)).toEqual([]);
  });

  test('a definition of the documented maximum size is stored', async () => {
    const { workflows } = await open();
    const frame = Buffer.byteLength(JSON.stringify(aWorkflow({ description: '' })));
    const largest = aWorkflow({ description: 'é'.repeat((350_000 - frame) / 2) });
    expect(await workflows.put(largest, toPathConfigs(largest))).toEqual({ version: 1, changed: true });
    expect((await workflows.find('greeting'))?.definition).toEqual(largest);
  });

  test('a record has the attributes for the TTL and for the index by workflow and time', async () => {
    const { executions, tables, items } = await open();
    await executions.start({ ...start, input: null });
    expect(await items(tables.executions)).toMatchObject([
      {
        workflowId: { S: 'greeting' },
        startedAt: { S: '2023-11-14T22:13:20.000Z' },
        expiresAt: { N: String(1_700_000_000 + 400 * 86_400) },
      },
    ]);
  });

  test.each([
    ['durable', 400],
    ['express', 32],
  ] as const)(
    'the data of a %s run outlives the run, and from its end lives as long as its record',
    async (mode, days) => {
      const { executions, tables, items } = await open();
      const expiry = async () => {
        const all = await items(tables.executions);
        return all.map(({ expiresAt }) => (Number(expiresAt?.N) - 1_700_000_000) / 86_400).sort();
      };
      await executions.start({ ...start, mode });
      expect(await expiry()).toEqual([days, 400].sort());
      await executions.finish('e-1', { ...end, checkpoints: null });
      expect(await expiry()).toEqual([30, 30]);
    },
  );
});
