import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { useMeasuredServices } from '../support/a-measured-service.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { readEmbeddedMetrics } from '../support/embedded-metrics.ts';
import { poll } from '../support/poll.ts';

const openService = useMeasuredServices();

const set: WorkflowNode = { id: 'greet', type: 'set', parameters: { values: { said: 'hello' } } };
const fails: WorkflowNode = { id: 'greet', type: 'stopAndError', parameters: { message: 'closed' } };

/** A workflow `orders` of one node, which a request to `/go` starts. */
const orders = (node = set, settings: JsonObject = {}, trigger: JsonObject = {}) =>
  aWorkflow({
    id: 'orders',
    nodes: [
      {
        id: 'request',
        type: 'webhookTrigger',
        parameters: { path: '/go', method: 'POST', responseMode: 'lastNode', ...trigger },
      },
      node,
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
    settings,
  });

const inBackground = { responseMode: 'onReceived' };

const data = (lines: readonly string[]) => lines.flatMap(readEmbeddedMetrics);

describe('a synchronous execution', () => {
  test.each([
    ['succeeds', set, {}, 200, 'ExecutionsSucceeded'],
    ['fails', fails, {}, 500, 'ExecutionsFailed'],
    [
      'times out',
      { id: 'greet', type: 'wait', parameters: { seconds: 5 } },
      { timeoutSeconds: 0.05 },
      504,
      'ExecutionsTimedOut',
    ],
  ] as const)(
    'that %s is counted on the line of its request',
    async (_what, node, settings, status, name) => {
      const service = await openService();
      await service.put(orders(node as WorkflowNode, settings));
      expect(await service.send('orders')).toBe(status);
      expect(service.measured()).toEqual({
        ExecutionsStarted: 1,
        [name]: 1,
        ExecutionDuration: expect.any(Number),
      });
      const [line, ...others] = service.lines.filter((each) => each.includes('"_aws"'));
      expect(others).toEqual([]);
      expect(JSON.parse(String(line))).toMatchObject({ message: 'request', status });
      expect(data(service.lines)).toContainEqual({
        namespace: 'test',
        name,
        unit: 'Count',
        dimensions: {},
        value: 1,
      });
      expect(data(service.lines).find(({ unit }) => unit === 'Milliseconds')).toMatchObject({
        name: 'ExecutionDuration',
      });
    },
  );
});

describe.each(['express', 'durable'])('an execution in the background, %s', (execution) => {
  test.each([
    ['succeeds', set, 'ExecutionsSucceeded'],
    ['fails', fails, 'ExecutionsFailed'],
  ] as const)('that %s is counted when it is accepted and when it ends', async (_what, node, name) => {
    const service = await openService();
    await service.put(orders(node, { execution }, inBackground));
    expect(await service.send('orders')).toBe(202);
    expect(service.measured()).toEqual({ ExecutionsStarted: 1 });
    await service.runAll();
    expect(service.measured()).toEqual({
      ExecutionsStarted: 1,
      [name]: 1,
      ExecutionDuration: expect.any(Number),
    });
    const ended = service.lines.map((line) => JSON.parse(line)).filter(({ event }) => event !== undefined);
    expect(ended).toHaveLength(1);
    expect(ended[0].ExecutionDuration).toBe(ended[0].event.data.durationMs);
  });
});

test('a cancelled execution is counted', async () => {
  const service = await openService();
  await service.put(orders(set, { execution: 'express' }, inBackground));
  await service.send('orders');
  const { executions } = await service.executions.list({ workflowId: 'orders', limit: 1 });
  expect(await service.cancel(String(executions[0]?.executionId))).toBe(200);
  expect(service.measured()).toMatchObject({ ExecutionsStarted: 1, ExecutionsCancelled: 1 });
});

test('a repeated delivery starts nothing and counts nothing', async () => {
  const service = await openService();
  await service.put(orders(set, {}, { deduplication: 'body.id' }));
  for (let time = 0; time < 3; time++) expect(await service.send('orders', { id: 1 })).toBe(200);
  expect(service.measured()).toMatchObject({ ExecutionsStarted: 1, ExecutionsSucceeded: 1 });
});

describe('a request that is refused', () => {
  test('is counted in total and by its code', async () => {
    const service = await openService();
    await service.put(orders());
    expect(await service.send('orders', {}, { 'content-type': 'application/xml' })).toBe(200);
    await service.put(orders(set, {}, { method: 'GET' }));
    expect(await service.send('orders')).toBe(405);
    expect(service.measured()).toMatchObject({
      RefusedRequests: 1,
      'RefusedRequests code=METHOD_NOT_ALLOWED': 1,
      ExecutionsStarted: 1,
    });
    expect(service.measured()).not.toHaveProperty('ServerErrors');
  });

  test('by an infrastructure error also counts as a server error', async () => {
    const service = await openService({
      dispatch: () => Promise.reject(new Error('Lambda is not there')),
    });
    await service.put(orders(set, { execution: 'express' }, inBackground));
    expect(await service.send('orders')).toBe(500);
    expect(service.measured()).toEqual({
      RefusedRequests: 1,
      'RefusedRequests code=INTERNAL': 1,
      ServerErrors: 1,
    });
  });

  test('does not include a failed run', async () => {
    const service = await openService();
    await service.put(orders(fails));
    expect(await service.send('orders')).toBe(500);
    expect(service.measured()).not.toHaveProperty('ServerErrors');
    expect(service.measured()).not.toHaveProperty('RefusedRequests');
  });
});

describe('a workflow with its own metrics', () => {
  const metrics = { metrics: true };

  test('has them in addition to the stage’s, also for ends recorded by the sweeper', async () => {
    const service = await openService();
    await service.put(orders(set, metrics));
    await service.send('orders');
    await service.put(orders(fails, { ...metrics, execution: 'express' }, inBackground));
    await service.send('orders');
    await service.runAll();
    expect(service.measured()).toMatchObject({
      ExecutionsStarted: 2,
      'ExecutionsStarted workflowId=orders': 2,
      'ExecutionsSucceeded workflowId=orders': 1,
      'ExecutionsFailed workflowId=orders': 1,
      'ExecutionDuration workflowId=orders': expect.any(Number),
    });
    await service.put(orders(set, { ...metrics, execution: 'express' }, inBackground));
    await service.send('orders');
    // Nothing has begun it within a day.
    for (let hour = 24; hour < 40; hour++) await service.sweep({}, hour * 3_600_000);
    expect(service.measured()).toMatchObject({ 'ExecutionsFailed workflowId=orders': 2 });
  });

  test('has no metrics under names that callers send, and other workflows have none', async () => {
    const service = await openService();
    await service.put(orders(set, metrics));
    await service.put({ ...orders(), id: 'quiet' });
    const _aws = {
      Timestamp: 1,
      CloudWatchMetrics: [{ Namespace: 'theirs', Dimensions: [['workflowId']], Metrics: [{ Name: 'n' }] }],
    };
    const hostile = { _aws, n: 1, workflowId: 'theirs', code: 'THEIRS', ExecutionsStarted: 1e9 };
    const headers = { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`, 'x-request-id': 'theirs' };
    for (const id of ['orders', 'quiet', 'unknown', '_aws', `${'x'.repeat(64)}`])
      for (let time = 0; time < 3; time++) await service.send(id, hostile, headers);
    const dimensions = data(service.lines).map((datum) => JSON.stringify(datum.dimensions));
    expect([...new Set(dimensions)].sort()).toEqual(['{"workflowId":"orders"}', '{}']);
    expect(new Set(data(service.lines).map(({ namespace }) => namespace))).toEqual(new Set(['test']));
    expect(service.measured()).toMatchObject({
      ExecutionsStarted: 6,
      'ExecutionsStarted workflowId=orders': 3,
    });
  });
});

test('what a plugin or node logs is never a metric', async () => {
  const service = await openService();
  const message = { _aws: { Timestamp: 1, CloudWatchMetrics: [] } };
  const code = `console.log(${JSON.stringify(message)}); console.log({ _aws: 1 }, '_aws'); return $input.body;`;
  await service.put(orders({ id: 'greet', type: 'code', parameters: { code } }));
  expect(await service.send('orders', message)).toBe(200);
  expect(data(service.lines).map(({ name }) => name)).toEqual([
    'ExecutionsStarted',
    'ExecutionsSucceeded',
    'ExecutionDuration',
  ]);
});

test('throttles of the store are counted by operation, and the request continues', async () => {
  let left = 2;
  const service = await openService({
    decide: (operation) => (operation === 'PutItem' && left-- > 0 ? 'throttle' : 'pass'),
  });
  await service.put(orders());
  left = 2;
  expect(await service.send('orders')).toBe(200);
  expect(service.measured()).toMatchObject({ StoreThrottles: 2, ExecutionsSucceeded: 1 });
  const line = service.lines.map((each) => JSON.parse(each)).find(({ StoreThrottles }) => StoreThrottles > 0);
  expect(line).toMatchObject({ level: 'warn', operation: 'PutItem' });
});

test('metrics do not depend on the log level', async () => {
  const service = await openService({ values: { LOG_LEVEL: 'error' } });
  await service.put(orders(set, { execution: 'express' }, inBackground));
  await service.send('orders');
  await service.runAll();
  expect(service.measured()).toMatchObject({ ExecutionsStarted: 1, ExecutionsSucceeded: 1 });
});

describe('a sweep', () => {
  const MINUTE = 60_000;
  const background = orders(set, { execution: 'express' }, inBackground);

  test('measures the age of the oldest accepted execution, and the repeated dispatches', async () => {
    const service = await openService();
    await service.put(background);
    for (let time = 0; time < 3; time++) await service.send('orders');
    await service.sweep({}, 20 * MINUTE);
    expect(service.measured()).toEqual({
      ExecutionsStarted: 3,
      SweepRedispatched: 3,
      OldestAcceptedAge: expect.closeTo(1_200, -1),
    });
    expect(data(service.lines).find(({ name }) => name === 'OldestAcceptedAge')?.unit).toBe('Seconds');
  });

  test('measures what it gave up, and what it could not reconcile', async () => {
    let refuses = false;
    const service = await openService({
      dispatch: async () => {
        if (refuses) throw new Error('Lambda is not there');
      },
    });
    await service.put(background);
    await service.send('orders');
    refuses = true;
    await service.sweep({}, 20 * MINUTE);
    expect(service.measured()).toMatchObject({ SweepFailed: 1 });
    refuses = false;
    for (let hour = 24; hour < 40; hour++) await service.sweep({}, hour * 60 * MINUTE);
    expect(service.measured()).toMatchObject({ SweepGivenUp: 1, ExecutionsFailed: 1 });
  });

  test('measures what it finished, and for how long the oldest waiting execution has been due', async () => {
    const service = await openService();
    const waits: WorkflowNode = { id: 'greet', type: 'wait', parameters: { seconds: 3_600 } };
    await service.put(orders(waits, { execution: 'durable' }, inBackground));
    await service.send('orders');
    const { executions } = await service.executions.list({ workflowId: 'orders', limit: 1 });
    const executionId = String(executions[0]?.executionId);
    const leaseExpiresAt = Date.now() + 10 * MINUTE;
    const lease = { leaseOwner: 'arn', leaseExpiresAt, journalSize: 0, crashes: 0, invocations: 1 };
    await service.executions.acquireLease(executionId, lease);
    await service.executions.saveProgress(executionId, { status: 'waiting', leaseExpiresAt });
    await service.executions.extendLease({ executionId, status: 'waiting' }, leaseExpiresAt);
    await service.sweep({}, 20 * MINUTE);
    expect(service.measured()).toMatchObject({
      SweepReconciled: 1,
      OldestWaitingDueAge: expect.closeTo(600, -1),
    });
  });

  test('has one line, which measures nothing when nothing is due, so that no metric is billed', async () => {
    const service = await openService();
    await service.sweep({});
    await service.sweep({ only: 'held' });
    expect(service.lines.map((line) => JSON.parse(line))).toMatchObject([{ message: 'Sweep finished.' }]);
    expect(service.measured()).toEqual({});
  });

  test('counts where an alarm depends on it, unless it fails', async () => {
    let fails = false;
    const decide = (operation: string) => (fails && operation === 'Query' ? ('fail' as const) : 'pass');
    const service = await openService({ config: { hasAlarms: true }, decide });
    await service.sweep({});
    await service.sweep({ only: 'held' });
    await service.sweep({ queue: { workflowId: 'orders', triggerNodeId: 'request' } });
    expect(service.measured()).toEqual({ Sweeps: 1 });
    fails = true;
    await expect(service.sweep({})).rejects.toThrow();
    await poll(async () => service.lines.some((line) => line.includes('held executions could not be read')));
    expect(service.measured()).toEqual({ Sweeps: 1 });
  });
});
