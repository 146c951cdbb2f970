import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { useWholeServices } from '../support/a-whole-service.ts';
import { poll } from '../support/poll.ts';

const startService = useWholeServices();
const MINUTE = 60_000;
const servers: LocalServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** The whole service, with a list to poll. */
const aService = async () => {
  const server = await aLocalServer({
    '/items': (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"data":[{"id":"a","n":1},{"id":"b","n":2}]}'),
  });
  servers.push(server);
  const allow = { OUTBOUND_ALLOW: '127.0.0.1' };
  const { baseUrl, pass } = await startService({
    environment: { runExpress: allow, adminTryNode: allow },
    passesTime: true,
  });
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const answer = await fetch(`${baseUrl}${path}`, { method, ...sent });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  const workflow = (parameters: JsonObject, trigger: JsonObject = {}) => ({
    id: 'news',
    name: 'News',
    enabled: true,
    nodes: [
      {
        id: 'feed',
        type: 'pollTrigger',
        parameters: {
          rate: '1 minute',
          url: `${server.origin}/items`,
          items: '/data',
          itemKey: 'id',
          ...parameters,
        },
        ...trigger,
      },
      { id: 'note', type: 'set', parameters: { values: { got: '{{ item.n }}' } } },
    ],
    connections: [{ sourceNodeId: 'feed', targetNodeId: 'note' }],
    settings: { recordData: 'always' },
  });
  const executions = async () =>
    (await ask('GET', '/api/admin/executions?workflowId=news')).body.executions as readonly JsonObject[];
  const entries = async () =>
    (await ask('GET', '/api/admin/state?workflowId=news')).body.entries as readonly JsonObject[];
  return { server, ask, workflow, executions, entries, pass };
};

test('a poll that is due starts the workflow for each item, with the parameters of the stage', async () => {
  const { ask, workflow, executions, entries, pass } = await aService();
  await ask('PUT', '/api/admin/variables/key', { value: 'id' });
  const definition = workflow({ firstPoll: 'all', itemKey: '{{ $vars.key }}' });
  expect((await ask('PUT', '/api/admin/workflows/news', definition)).status).toBe(201);
  pass(MINUTE);
  await poll(async () => {
    const found = await executions();
    return found.length === 2 && found.every(({ status }) => status === 'succeeded');
  });
  const outputs = await Promise.all(
    (await executions()).map(async ({ executionId }) => {
      const { nodes } = (await ask('GET', `/api/admin/executions/${executionId}`)).body;
      return (nodes as readonly JsonObject[]).map(({ outputs }) => (outputs as JsonObject).main);
    }),
  );
  expect(
    outputs.map(([, note]) => note).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  ).toEqual([{ got: 1 }, { got: 2 }]);
  expect(outputs[0]?.[0]).toEqual({
    triggeredAt: expect.any(String),
    triggerType: 'poll',
    polledAt: expect.any(String),
    item: expect.any(Object),
    key: expect.any(String),
  });
  await poll(async () => (await entries()).some(({ value }) => (value as JsonObject).running === null));
  expect((await entries()).map(({ key }) => key)).toEqual(['feed', 'feed/a', 'feed/b']);
});

test('a poll that fails is a failed execution, which starts error triggers', async () => {
  const { ask, workflow, executions, pass } = await aService();
  const listener = {
    id: 'alarm',
    name: 'Alarm',
    enabled: true,
    connections: [],
    nodes: [{ id: 'failure', type: 'errorTrigger', parameters: { workflows: ['news'] } }],
  };
  expect((await ask('PUT', '/api/admin/workflows/alarm', listener)).status).toBe(201);
  await ask('PUT', '/api/admin/workflows/news', workflow({ items: '/none' }));
  pass(MINUTE);
  await poll(async () => (await executions())[0]?.status === 'failed');
  await poll(async () => {
    const { executions } = (await ask('GET', '/api/admin/executions?workflowId=alarm')).body;
    return (executions as readonly JsonObject[]).length === 1;
  });
  const [failed] = await executions();
  const retried = await ask('POST', `/api/admin/executions/${failed?.executionId}/retry`, {});
  // The next poll catches up.
  expect(retried).toMatchObject({ status: 409, body: { type: 'urn:hookloom:problem:not-retryable' } });
});

test('a trial shows what a run would get, and marks nothing', async () => {
  const { ask, workflow, entries, server } = await aService();
  const tried = async (parameters: JsonObject) =>
    (await ask('POST', '/api/admin/workflows/try', { definition: workflow(parameters), nodeId: 'feed' }))
      .body;
  expect(await tried({})).toMatchObject({
    status: 'succeeded',
    outputs: { main: { triggerType: 'poll', item: { id: 'a', n: 1 }, key: 'a' } },
    log: [{ message: 'The poll found 2 items. A run starts for those that are new.' }],
  });
  expect(await tried({ perBatch: true })).toMatchObject({
    outputs: { main: { triggerType: 'poll', items: [{ id: 'a' }, { id: 'b' }], keys: ['a', 'b'] } },
  });
  expect(await tried({ itemKey: 'guid' })).toMatchObject({
    status: 'failed',
    failure: { message: 'Parameter "items[0].guid" must be a string or a number, got nothing' },
  });
  expect(server.received).toHaveLength(3);
  expect(await entries()).toEqual([]);
});

test('a trigger that polls may be started by hand with an item, and says so without one', async () => {
  const { ask, workflow } = await aService();
  await ask('PUT', '/api/admin/workflows/news', workflow({ startAt: '2099-01-01T00:00:00' }));
  const start = async (input: JsonObject) => {
    const { executionId } = (await ask('POST', '/api/admin/workflows/news/executions', input)).body;
    let found: JsonObject = {};
    await poll(async () => {
      found = (await ask('GET', `/api/admin/executions/${executionId}`)).body;
      return found.status === 'succeeded' || found.status === 'failed';
    });
    return found;
  };
  expect((await start({ item: { id: 'x', n: 3 } })).status).toBe('succeeded');
  expect((await start({})).failure).toMatchObject({
    message: expect.stringContaining('The input has no "item"'),
  });
});

test.each([
  ['no schedule', { rate: null }, 'must have exactly one of'],
  ['no URL', { url: null }, 'lacks the key'],
  ['a time to live that is too short', { ttlSeconds: 60 }, '/nodes/0/parameters/ttlSeconds'],
  ['a parameter of httpRequest that suits no list', { responseType: 'file' }, 'has the unknown key'],
])('a trigger with %s is refused', async (_what, changes: JsonObject, pointer) => {
  const { ask, workflow } = await aService();
  const { nodes, ...rest } = workflow(changes);
  const [feed, ...others] = nodes;
  const parameters = Object.fromEntries(
    Object.entries(feed?.parameters ?? {}).filter(([, value]) => value !== null),
  );
  const { status, body } = await ask('PUT', '/api/admin/workflows/news', {
    ...rest,
    nodes: [{ ...feed, parameters }, ...others],
  });
  expect([status, JSON.stringify(body.errors)]).toEqual([422, expect.stringContaining(pointer)]);
});
