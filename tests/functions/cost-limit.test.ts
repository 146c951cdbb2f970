import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { useWholeServices } from '../support/a-whole-service.ts';
import { poll } from '../support/poll.ts';

const startService = useWholeServices();

/** Less than a single run costs. */
const ALMOST_NOTHING = 0.000001;
const DAY_MS = 86_400_000;

/** The service with a workflow `orders`, which a webhook and an event start, and which waits for nothing. */
const aStage = async () => {
  const fired = Promise.withResolvers<void>();
  const { baseUrl, invoke, pass } = await startService({
    passesTime: true,
    counts: true,
    answers: {
      dispatch: async (_event, answer) => {
        const answered = await answer();
        fired.resolve();
        return answered;
      },
    },
  });
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const answer = await fetch(`${baseUrl}${path}`, { method, ...sent });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  const nodes = [
    { id: 'in', type: 'webhookTrigger', parameters: { path: '/in' } },
    { id: 'result', type: 'webhookTrigger', parameters: { path: '/result', responseMode: 'lastNode' } },
    { id: 'clock', type: 'scheduleTrigger', parameters: { cron: '0 0 1 1 *' } },
    { id: 'failure', type: 'errorTrigger', parameters: { workflows: ['other'] } },
    { id: 'out', type: 'set', parameters: { values: { ok: true } } },
  ];
  const put = (maxCostPerMonth: number) =>
    ask('PUT', '/api/admin/workflows/orders', {
      id: 'orders',
      name: 'Orders',
      nodes,
      connections: nodes.slice(0, -1).map(({ id }) => ({ sourceNodeId: id, targetNodeId: 'out' })),
      settings: { maxCostPerMonth },
    });
  const call = (path = 'in') => ask('POST', `/api/webhook/orders/${path}`, {});
  const find = async (executionId: unknown) =>
    (await ask('GET', `/api/admin/executions/${executionId}`)).body;
  const atLimit = async () => (await ask('GET', '/api/admin/workflows/orders')).body.atLimit;
  const listed = async (): Promise<readonly JsonObject[]> => {
    const { body } = await ask('GET', '/api/admin/executions?workflowId=orders');
    return body.executions as JsonObject[];
  };
  return { ask, put, call, find, atLimit, listed, invoke, pass, fired: fired.promise };
};

test('a workflow at its limit stores what comes, and runs it once the limit is raised', async () => {
  const { ask, put, call, find, atLimit, listed, invoke } = await aStage();
  expect(await put(ALMOST_NOTHING)).toMatchObject({ status: 201 });
  expect((await call()).status).toBe(202);
  await poll(async () => (await atLimit()) !== undefined);
  expect(await atLimit()).toMatchObject({ limit: ALMOST_NOTHING, dollars: expect.any(Number) });

  const stored = await call();
  expect(stored.status).toBe(202);
  expect(await find(stored.body.executionId)).toMatchObject({ status: 'accepted', held: 'paused' });
  expect(await call('result')).toMatchObject({
    status: 503,
    body: { type: 'urn:hookloom:problem:webhook-paused' },
  });

  // A failure of another workflow is held, too; the time of a schedule starts nothing.
  const failing = {
    id: 'other',
    name: 'Other',
    nodes: [
      { id: 'in', type: 'webhookTrigger', parameters: { path: '/in' } },
      { id: 'stop', type: 'stopAndError', parameters: { message: 'no' } },
    ],
    connections: [{ sourceNodeId: 'in', targetNodeId: 'stop' }],
  };
  expect(await ask('PUT', '/api/admin/workflows/other', failing)).toMatchObject({ status: 201 });
  await ask('POST', '/api/webhook/other/in', {});
  await poll(async () => (await listed()).length === 3);
  expect((await listed()).filter(({ held }) => held === 'paused')).toHaveLength(2);

  // Another version with the same limit holds; with a higher one, what is stored runs.
  expect(await ask('POST', '/api/admin/workflows/orders/disable')).toMatchObject({ status: 200 });
  expect(await ask('POST', '/api/admin/workflows/orders/enable')).toMatchObject({ status: 200 });
  expect(await atLimit()).toBeDefined();
  await invoke('sweep', { only: 'held' });
  expect((await listed()).filter(({ held }) => held === 'paused')).toHaveLength(2);
  expect(await put(1_000)).toMatchObject({ status: 200 });
  expect(await atLimit()).toBeUndefined();
  await poll(async () => {
    await invoke('sweep', { queue: { workflowId: 'orders', triggerNodeId: 'failure' } });
    return (await listed()).every(({ status }) => status === 'succeeded');
  });
  expect(await listed()).toHaveLength(3);
  expect((await call('result')).status).toBe(200);
});

test('a schedule starts nothing while its workflow is at its limit, and an operator does', async () => {
  const { put, call, atLimit, listed, ask, pass, fired } = await aStage();
  await put(ALMOST_NOTHING);
  await call();
  await poll(async () => (await atLimit()) !== undefined);
  pass(366 * DAY_MS);
  await fired;
  expect(await listed()).toHaveLength(1);
  expect(await ask('POST', '/api/admin/workflows/orders/executions?trigger=in', {})).toMatchObject({
    status: 202,
  });
  await poll(async () => (await listed()).filter(({ status }) => status === 'succeeded').length === 2);
});
