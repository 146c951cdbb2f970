import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createListeningStore } from '../../lib/adapters/dynamodb/requests/listening-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openStores } from '../../lib/app/compose/parts.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { createCatchRequest } from '../../lib/webhooks/listening/catch-request.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { startFaultProxy } from '../support/a-fault-proxy.ts';
import { aJsonEvent, type WebhookEventChanges } from '../support/a-webhook-event.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { environmentOf } from '../support/function-environment.ts';
import { namePoints } from '../support/named-points.ts';

let ask: ReturnType<typeof anAdminApi>;
let isStoreOut = false;
let hold: ReturnType<typeof namePoints>['hold'];
let openHook: () => (
  body: unknown,
  changes?: WebhookEventChanges,
) => Promise<{ status: number; body: JsonObject }>;
let store: ReturnType<typeof createListeningStore>;
const cleanups: (() => unknown)[] = [];

const AT = '/api/admin/workflows/greeting/listening';
const definition = aWorkflow({
  nodes: [aTrigger({ path: '/in', responseMode: 'lastNode' }), ...aWorkflow().nodes.slice(1)],
});

beforeEach(async () => {
  isStoreOut = false;
  const database = await startEmbeddedDynamoDb('test');
  const proxy = await startFaultProxy(database.endpoint, (operation, table) =>
    isStoreOut && operation === 'PutItem' && table.endsWith('deliveries') ? 'fail' : 'pass',
  );
  cleanups.push(proxy.stop, () => database.stop());
  const values = {
    DYNAMODB_ENDPOINT: proxy.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    BLOB_FOLDER: '/nonexistent',
    WORKFLOW_CACHE_SECONDS: '0',
    LOG_LEVEL: 'off',
  };
  ask = anAdminApi(values);
  const config = readConfig(environmentOf('webhook', values));
  const { client, tables } = openStores(config);
  store = createListeningStore(client, tables);
  const points = namePoints({ listening: store });
  hold = points.hold;
  openHook = () => {
    const catchRequest = createCatchRequest({ store: points.ports.listening, clock: systemClock });
    const handler = createWebhookFunction({ ...openWebhook(installedPlugins, config), catchRequest });
    return async (body, changes = {}) => {
      const event = aJsonEvent(body, { workflowId: 'greeting', path: 'in', ...changes });
      const arrived = { ...event, requestContext: { ...event.requestContext, timeEpoch: Date.now() } };
      const answer = (await handler(arrived as never, {} as Context)) as APIGatewayProxyStructuredResultV2;
      return { status: answer.statusCode ?? 0, body: JSON.parse(String(answer.body)) };
    };
  };
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const put = async (changes: Parameters<typeof aWorkflow>[0] = {}) => {
  const { status } = await ask('PUT', '/api/admin/workflows/greeting', {
    body: { ...definition, ...changes },
  });
  expect([200, 201]).toContain(status);
};

const listen = async (): Promise<string> => {
  const { status, body } = await ask('POST', AT, { body: {} });
  expect(status).toBe(201);
  return body.id;
};

const read = async (id: string) => (await ask('GET', `${AT}/${id}`)).body;
const stop = async (id: string) => (await ask('DELETE', `${AT}/${id}`)).body;
const count = async () => (await ask('GET', '/api/admin/executions?workflowId=greeting')).body.count;

describe('a webhook that listens', () => {
  test('catches the next request as a test, and processes those after it as usual', async () => {
    await put();
    const hook = openHook();
    const begun = await ask('POST', AT, { body: { triggerNodeId: 'request' } });
    expect(begun.body).toMatchObject({
      triggerNodeId: 'request',
      addresses: [{ method: 'POST', url: expect.stringContaining('/api/webhook/greeting/in') }],
    });
    const id: string = begun.body.id;
    expect(await read(id)).toEqual({ id, state: 'listening', request: null });
    const caught = await hook({ name: 'Ada' }, { query: 'a=1', requestId: 'first=' });
    expect(caught).toMatchObject({ status: 202, body: { caught: true, workflowId: 'greeting' } });
    expect(await count()).toBe(0);
    const state = await read(id);
    expect(state).toMatchObject({
      state: 'caught',
      request: {
        verdict: 'caught',
        executionId: null,
        method: 'POST',
        path: '/in',
        query: 'a=1',
        missing: null,
      },
    });
    expect(JSON.parse(state.request.body)).toEqual({ name: 'Ada' });
    expect(await hook({ name: 'Bob' }, { requestId: 'second=' })).toEqual({
      status: 200,
      body: { greeting: 'Hello, Bob' },
    });
    expect(await count()).toBe(1);

    // It is on record under the same id, and can be sent again.
    const shown = await ask('GET', `/api/admin/requests/${state.request.id}`);
    expect(shown).toMatchObject({ status: 200, body: { verdict: 'caught', body: state.request.body } });
    const listed = await ask('GET', '/api/admin/requests?workflowId=greeting&verdict=caught');
    expect(listed.body.requests).toMatchObject([{ id: state.request.id }]);
    // Stopping tells what was caught.
    expect(await stop(id)).toMatchObject({ state: 'caught', request: { id: state.request.id } });
    expect(await store.findLatest('greeting')).toBeNull();
  });

  test.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])('catches one of two requests in two processes, the one that is stored %s', async (_which, order) => {
    await put();
    const points = [hold('listening.end:before'), hold('listening.end:before')];
    const hooks = [openHook(), openHook()];
    const id = await listen();
    const requests = hooks.map((hook, at) => hook({ name: `n${at}` }, { requestId: `request-${at}` }));
    await Promise.all(points.map(({ reached }) => reached));
    const answers = [];
    for (const at of order) {
      points[at]?.release();
      answers.push(await requests[at]);
    }
    expect(answers).toMatchObject([{ status: 202, body: { caught: true } }, { status: 200 }]);
    const state = await read(id);
    expect(JSON.parse(state.request.body)).toEqual({ name: `n${order[0]}` });
    expect(await count()).toBe(1);
  });

  test('that is stopped while a request comes does not catch it', async () => {
    await put();
    const point = hold('listening.end:before');
    const id = await listen();
    const request = openHook()({ name: 'Ada' });
    await point.reached;
    expect(await stop(id)).toMatchObject({ state: 'ended' });
    point.release();
    expect((await request).status).toBe(200);
    expect(await read(id)).toMatchObject({ state: 'ended', request: null });
  });

  test('starts the live version once it was stopped, has expired, or another has taken its place', async () => {
    await put();
    const hook = openHook();
    expect((await stop(await listen())).state).toBe('ended');
    expect((await hook({ name: 'Ada' }, { requestId: 'a' })).status).toBe(200);

    await store.begin('greeting', { id: 'expired', triggerNodeId: 'request', until: Date.now() - 1 });
    expect((await hook({ name: 'Ada' }, { requestId: 'b' })).status).toBe(200);
    expect(await read('expired')).toMatchObject({ state: 'ended' });

    const [former, latter] = [await listen(), await listen()];
    expect((await hook({ name: 'Ada' }, { requestId: 'c' })).status).toBe(202);
    expect([(await read(former)).state, (await read(latter)).state]).toEqual(['ended', 'caught']);
  });

  test('keeps listening when the workflow is saved meanwhile', async () => {
    await put();
    const id = await listen();
    await put({ name: 'Another name' });
    expect((await read(id)).state).toBe('listening');
    expect((await openHook()({ name: 'Ada' })).status).toBe(202);
  });

  test('catches for a disabled workflow, whose address otherwise stays unknown', async () => {
    await put({ enabled: false });
    const hook = openHook();
    const unknown = await hook({ name: 'Ada' }, { requestId: 'a' });
    expect(unknown.status).toBe(404);
    const id = await listen();
    expect((await hook({ name: 'Ada' }, { requestId: 'b' })).status).toBe(202);
    expect((await read(id)).state).toBe('caught');
    expect((await hook({ name: 'Ada' }, { requestId: 'c' })).status).toBe(404);
    await store.begin('greeting', { id: 'expired', triggerNodeId: 'request', until: Date.now() - 1 });
    expect((await hook({ name: 'Ada' }, { requestId: 'd' })).status).toBe(404);
    expect(await count()).toBe(0);
  });

  test('does not catch what starts the run of an upload, which has been accepted before', async () => {
    await put();
    const id = await listen();
    const webhook = {
      workflow: { listening: await store.findLatest('greeting') },
      config: { triggerNodeId: 'request' },
      isDisabled: false,
    };
    const start = { request: { workflowId: 'greeting' }, webhook, secretHeaders: [], isOfUpload: true };
    const catchRequest = createCatchRequest({ store, clock: systemClock });
    expect(await catchRequest({ ...start, note: () => {} } as never)).toBeNull();
    expect((await read(id)).state).toBe('listening');
  });

  test('does not catch what it refuses, or what comes to another trigger', async () => {
    const other = aTrigger({ path: '/other', responseMode: 'lastNode' }, { id: 'other' });
    const strict = aTrigger({ path: '/in', schema: { type: 'object', required: ['name'] } });
    await put({
      nodes: [strict, other, ...definition.nodes.slice(1)],
      connections: [...definition.connections, { sourceNodeId: 'other', targetNodeId: 'greet' }],
    });
    expect(await ask('POST', AT, { body: {} })).toMatchObject({
      status: 409,
      body: { type: 'urn:hookloom:problem:not-listenable' },
    });
    const { body } = await ask('POST', AT, { body: { triggerNodeId: 'request' } });
    const hook = openHook();
    expect((await hook({}, { requestId: 'a' })).status).toBe(400);
    expect((await hook({ name: 'Ada' }, { path: 'other', requestId: 'b' })).status).toBe(200);
    expect((await read(body.id)).state).toBe('listening');
    expect((await hook({ name: 'Ada' }, { requestId: 'c' })).body).toMatchObject({ caught: true });
  });

  test('answers 503 while the store is out, and catches the request that is repeated', async () => {
    await put();
    const id = await listen();
    const hook = openHook();
    isStoreOut = true;
    expect((await hook({ name: 'Ada' }, { requestId: 'a' })).status).toBe(503);
    isStoreOut = false;
    expect((await read(id)).state).toBe('listening');
    expect((await hook({ name: 'Ada' }, { requestId: 'b' })).status).toBe(202);
    expect(await count()).toBe(0);
  });
});

test.each([
  ['no workflow has the id', '/api/admin/workflows/unknown/listening', {}, 404],
  ['no trigger has the id', AT, { triggerNodeId: 'greet' }, 409],
  ['the body has an unknown member', AT, { trigger: 'request' }, 400],
])('listening is refused if %s', async (_, address, body, status) => {
  await put();
  expect((await ask('POST', address, { body })).status).toBe(status);
});
