import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { anExecutionStart } from '../support/a-start.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { installedNames } from '../support/installed-names.ts';
import { aStateEntry } from '../support/state-store-suite.ts';

/** What the target has received. */
const requests: { readonly url: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
let status = 200;
let target: string;
let values: Parameters<typeof anAdminApi>[0];
let ask: ReturnType<typeof anAdminApi>;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const database = await startEmbeddedDynamoDb('test');
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-try-'));
  const server = createServer(({ url = '', headers }, response) => {
    requests.push({ url, headers });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"price":3}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  target = `http://127.0.0.1:${port}`;
  cleanups.push(
    () => database.stop(),
    () => server.close(),
    () => rmSync(folder, { recursive: true }),
  );
  values = {
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: folder,
    OUTBOUND_ALLOW: `127.0.0.1:${port}`,
  };
  ask = anAdminApi(values);
});

beforeEach(() => {
  requests.length = 0;
  status = 200;
});

afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const hook = { id: 'start', type: 'manualTrigger', parameters: {} };

/** A definition whose only trigger leads to the nodes, one after the other. */
const drawn = (...nodes: readonly JsonObject[]): JsonObject => ({
  ...aWorkflow({ id: 'drawn', connections: [] }),
  nodes: [hook, ...nodes] as never,
  connections: nodes.map(({ id }, at) => ({
    sourceNodeId: String((at === 0 ? hook : nodes[at - 1])?.id),
    targetNodeId: String(id),
  })),
});

test('a node in a body reads the item with which the body begins', async () => {
  const each = { id: 'each', type: 'forEach', parameters: { items: '{{ orders }}' } };
  const pick = { id: 'pick', type: 'set', parameters: { values: { at: '{{ $nodes.each.index }}' } } };
  const send = { id: 'send', type: 'set', parameters: { values: { id: '{{ $item.id }}' } } };
  const definition = drawn(each, pick, send);
  const connections = [
    { sourceNodeId: 'start', targetNodeId: 'each' },
    { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'pick' },
    { sourceNodeId: 'pick', targetNodeId: 'send' },
  ];
  const body = {
    ...{ definition: { ...definition, connections }, nodeId: 'send' },
    outputs: { each: { each: { item: { id: 'A-7' }, index: 3 } }, pick: { main: { at: 3 } } },
  };
  for (const route of ['try', 'evaluate']) {
    const answer = (await ask('POST', `/api/admin/workflows/${route}`, { body })).body;
    expect(answer.run ?? answer).toMatchObject({ outputs: { main: { id: 'A-7' } } });
  }
});

const greet = { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ name }}' } } };
const fetchPrice = (more: JsonObject = {}): JsonObject => ({
  id: 'price',
  type: 'httpRequest',
  parameters: { url: `${target}/price?of={{ sku }}` },
  ...more,
});

const tryNode = (body: JsonObject, caller?: string) =>
  ask('POST', '/api/admin/workflows/try', { body, ...(caller === undefined ? {} : { caller }) });

const find = async (executionId: string) => (await ask('GET', `/api/admin/executions/${executionId}`)).body;

describe('POST /api/admin/workflows/try', () => {
  test('runs one pure node on the given input', async () => {
    const { status, body } = await tryNode({
      definition: drawn(greet),
      nodeId: 'greet',
      input: { name: 'Ada' },
    });
    expect([status, body]).toEqual([
      200,
      {
        executionId: expect.any(String),
        status: 'succeeded',
        outputs: { main: { greeting: 'Hello, Ada' } },
        failure: null,
        attempts: 1,
        durationMs: expect.any(Number),
        log: [],
        logOmitted: 0,
        warnings: [],
      },
    ]);
  });

  test('runs one node for real, and no other', async () => {
    const definition = drawn(greet, fetchPrice(), { ...fetchPrice(), id: 'after' });
    const { body } = await tryNode({ definition, nodeId: 'price', input: { sku: 'a-1' } });
    expect(body).toMatchObject({ status: 'succeeded', outputs: { main: { body: { price: 3 } } } });
    expect(requests.map(({ url }) => url)).toEqual(['/price?of=a-1']);
    const { nodes } = await find(body.executionId);
    expect(nodes).toMatchObject([{ nodeId: 'price', status: 'succeeded', input: { sku: 'a-1' } }]);
  });

  test('without an input, a node receives what the nodes before it gave; $nodes and $trigger read them', async () => {
    const compute = {
      id: 'compute',
      type: 'set',
      parameters: {
        values: {
          own: '{{ greeting }}',
          of: '{{ $nodes.greet.greeting }}',
          from: '{{ $trigger.name }}',
          stage: '{{ $execution.stage }}',
          version: '{{ $execution.workflowVersion }}',
        },
      },
    };
    const outputs = { [hook.id]: { main: { name: 'Ada' } }, greet: { main: { greeting: 'Hi' } } };
    const { body } = await tryNode({ definition: drawn(greet, compute), nodeId: 'compute', outputs });
    expect(body.outputs).toEqual({
      main: { own: 'Hi', of: 'Hi', from: 'Ada', stage: expect.any(String), version: 0 },
    });
  });

  test('outputs of nodes that do not lead to the node are not read', async () => {
    const read = { id: 'read', type: 'set', parameters: { values: { all: '{{ $nodes }}' } } };
    const outputs = { read: { main: { a: 1 } }, nobody: { main: { a: 1 } } };
    const { body } = await tryNode({ definition: drawn(read), nodeId: 'read', input: {}, outputs });
    expect(body.outputs).toEqual({ main: { all: {} } });
  });

  test('a node of several inputs receives each', async () => {
    const one = { id: 'one', type: 'set', parameters: { values: { a: 1 } } };
    const definition: JsonObject = {
      ...drawn(one, { id: 'two', type: 'set', parameters: { values: { b: 2 } } }),
    };
    const join = { id: 'join', type: 'set', parameters: { values: { sum: '{{ a + b }}' } } };
    const nodes = [...(definition.nodes as readonly never[]), join];
    const connections = [
      { sourceNodeId: hook.id, targetNodeId: 'one' },
      { sourceNodeId: hook.id, targetNodeId: 'two' },
      { sourceNodeId: 'one', targetNodeId: 'join' },
      { sourceNodeId: 'two', targetNodeId: 'join' },
    ];
    const outputs = { one: { main: { a: 1 } }, two: { main: { b: 2 } } };
    const { body } = await tryNode({
      definition: { ...definition, nodes: nodes as never, connections },
      nodeId: 'join',
      outputs,
    });
    expect(body.outputs).toMatchObject({ main: { sum: 3 } });
  });

  test('a node with a body runs its body', async () => {
    const each = { id: 'each', type: 'forEach', parameters: { items: '{{ items }}' } };
    const double = { id: 'double', type: 'set', parameters: { values: { twice: '{{ item * 2 }}' } } };
    const definition: JsonObject = {
      ...drawn(each, double),
      connections: [
        { sourceNodeId: hook.id, targetNodeId: 'each' },
        { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'double' },
      ],
    };
    const { body } = await tryNode({ definition, nodeId: 'each', input: { items: [1, 2] } });
    expect([body.errors, body.status]).toEqual([undefined, 'succeeded']);
    expect(body.outputs).toEqual({ main: { results: [{ twice: 2 }, { twice: 4 }], failures: [] } });
    expect(body.body).toEqual([
      {
        nodeId: 'double',
        within: 'each/0/1',
        status: 'succeeded',
        attempts: 1,
        durationMs: expect.any(Number),
        input: expect.objectContaining({ item: 2 }),
        outputs: { main: { twice: 4 } },
      },
    ]);
  });

  test('of a body that fails, the answer has the pass that failed', async () => {
    const each = { id: 'each', type: 'forEach', parameters: { items: '{{ items }}' } };
    const check = { id: 'check', type: 'set', parameters: { values: { n: '{{ $number(item) }}' } } };
    const definition: JsonObject = {
      ...drawn(each, check),
      connections: [{ sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'check' }],
    };
    const { body } = await tryNode({ definition, nodeId: 'each', input: { items: ['1', 'two', '3'] } });
    expect(body.status).toBe('failed');
    expect(body.body).toMatchObject([{ nodeId: 'check', within: 'each/0/1', input: { item: 'two' } }]);
    expect(body.body[0].failure.message).toContain('two');
  });

  test('the failure of a node is an answer, with its attempts and what onError passes on', async () => {
    status = 500;
    const settings = { retry: { maxAttempts: 2, intervalSeconds: 0.01 }, onError: 'route' };
    const routed = drawn(fetchPrice({ settings }), greet);
    const failing = {
      ...routed,
      connections: [
        { sourceNodeId: hook.id, targetNodeId: 'price' },
        { sourceNodeId: 'price', sourceOutput: 'error', targetNodeId: 'greet' },
      ],
    };
    const { body, status: answered } = await tryNode({
      definition: failing,
      nodeId: 'price',
      input: { sku: 'a' },
    });
    expect([answered, body.errors]).toEqual([200, undefined]);
    expect(body).toMatchObject({
      status: 'succeeded',
      attempts: 2,
      failure: { nodeId: 'price', name: expect.any(String) },
      outputs: { error: { sku: 'a', error: { nodeId: 'price' } } },
    });
    const { body: ended } = await tryNode({ definition: drawn(fetchPrice()), nodeId: 'price', input: {} });
    expect(ended).toMatchObject({ status: 'failed', outputs: {}, failure: { nodeId: 'price' } });
  });

  test('stores an execution that is marked, and nothing else', async () => {
    const { body } = await tryNode({ definition: drawn(greet), nodeId: 'greet', input: { name: 'Ada' } });
    expect(await find(body.executionId)).toMatchObject({
      trial: true,
      workflowId: 'drawn',
      workflowVersion: 0,
      mode: 'inline',
      trigger: { nodeId: hook.id, type: 'manualTrigger', byHand: true },
      nodes: [{ nodeId: 'greet', outputs: { main: { greeting: 'Hello, Ada' } } }],
    });
    expect(await ask('GET', '/api/admin/workflows/drawn')).toMatchObject({ status: 404 });
  });

  test.each(['?workflowId=shop', ''])(
    'lists with%s show trials as such, alone, or not at all',
    async (query) => {
      const definition = { ...drawn(greet), id: 'shop' };
      const { body: tried } = await tryNode({ definition, nodeId: 'greet', input: { name: 'Ada' } });
      const list = async (trial: string) => {
        const filter = [query.slice(1), trial].filter(Boolean).join('&');
        const { body } = await ask('GET', `/api/admin/executions?limit=100&${filter}`);
        return body.executions.filter((one: JsonObject) => one.executionId === tried.executionId);
      };
      const found = [{ executionId: tried.executionId, workflowId: 'shop', trial: true }];
      expect(await list('')).toMatchObject(found);
      expect(await list('trial=true')).toMatchObject(found);
      expect(await list('trial=false')).toEqual([]);
    },
  );

  test('a workflow that was tried has no last execution, and a failed trial cannot be retried', async () => {
    const definition = aWorkflow({ id: 'tried', nodes: [hook], connections: [] });
    expect(await ask('PUT', '/api/admin/workflows/tried', { body: definition })).toMatchObject({
      status: 201,
    });
    const fail = { id: 'fail', type: 'stopAndError', parameters: { message: 'no' } };
    const { body } = await tryNode({
      definition: { ...drawn(fail), id: 'tried' },
      nodeId: 'fail',
      input: {},
    });
    expect(body).toMatchObject({ status: 'failed' });
    const { body: listed } = await ask('GET', '/api/admin/workflows?text=tried');
    expect(listed.workflows).toMatchObject([{ id: 'tried', version: 1, lastExecution: null }]);
    const retried = await ask('POST', `/api/admin/executions/${body.executionId}/retry`, { body: {} });
    expect(retried).toMatchObject({ status: 409, body: { detail: expect.stringContaining('is a trial') } });
    const failures = await ask('GET', '/api/admin/executions?workflowId=tried&status=failed');
    expect(failures.body.executions).toMatchObject([{ trial: true, status: 'failed' }]);
  });

  test('a secret of a credential is in no answer, and goes only to its hosts', async () => {
    const secret = 'planted-secret-0123456789';
    const put = (id: string, hosts: readonly string[]) =>
      ask('PUT', `/api/admin/credentials/${id}`, {
        body: { type: 'httpBearer', secrets: { token: secret }, hosts },
      });
    expect((await put('own', [new URL(target).host])).status).toBe(201);
    expect((await put('other', ['api.example.com'])).status).toBe(201);
    const withCredential = (credentialId: string) =>
      tryNode({ definition: drawn(fetchPrice({ credentialId })), nodeId: 'price', input: {} });
    const { body: sent } = await withCredential('own');
    expect(sent.failure).toBeNull();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
    expect(JSON.stringify(sent)).not.toContain(secret);
    const { body: refused } = await withCredential('other');
    expect(refused).toMatchObject({ status: 'failed', failure: { nodeId: 'price' } });
    expect(requests).toHaveLength(1);
  });

  test('variables have the values of the stage', async () => {
    await ask('PUT', '/api/admin/variables/region', { body: { value: 'north' } });
    const read = { id: 'read', type: 'set', parameters: { values: { at: '{{ $vars.region }}' } } };
    const { body } = await tryNode({ definition: drawn(read), nodeId: 'read', input: {} });
    expect(body.outputs).toMatchObject({ main: { at: 'north' } });
  });

  test('a disabled plugin is refused as in a run', async () => {
    const disabled = await ask('POST', '/api/admin/plugins/httpRequest/disable', { body: {} });
    expect(disabled.status).toBe(200);
    // Another process: one that has read the setting keeps it for some seconds.
    const body = { definition: drawn(fetchPrice()), nodeId: 'price', input: {} };
    const answer = await anAdminApi(values)('POST', '/api/admin/workflows/try', { body });
    await ask('POST', '/api/admin/plugins/httpRequest/enable', { body: {} });
    expect(answer.body).toMatchObject({ status: 'failed', failure: { name: 'PluginDisabled' } });
  });
});

describe('a node that cannot be tried is a 422 that says why', () => {
  const refused = async (body: JsonObject) => {
    const answer = await tryNode(body);
    expect(answer).toMatchObject({ status: 422, body: { type: 'urn:hookloom:problem:node-not-triable' } });
    return answer.body.errors as readonly JsonObject[];
  };

  test.each([
    ['nobody', 'there is no node "nobody"'],
    [hook.id, 'is a trigger'],
    ['pause', 'waits'],
    ['ask', 'waits'],
    ['answer', 'answers the caller'],
    ['off', 'is disabled'],
  ])('%s', async (nodeId, detail) => {
    const definition = drawn(
      { id: 'pause', type: 'wait', parameters: { seconds: 1 } },
      { id: 'ask', type: 'approval', parameters: { title: 'Go?' } },
      { id: 'answer', type: 'respondToWebhook', parameters: {} },
      { ...greet, id: 'off', disabled: true },
    );
    expect(await refused({ definition, nodeId })).toEqual([
      { pointer: '#/nodeId', detail: expect.stringContaining(detail) },
    ]);
  });

  test('a problem of the node blocks it, with its place; one of another node does not', async () => {
    const bad = { id: 'bad', type: 'set', parameters: { values: 3 } };
    const definition = drawn(bad, greet);
    const errors = await refused({ definition, nodeId: 'bad' });
    expect(errors).toEqual([
      { pointer: '#/definition/nodes/1/parameters/values', detail: expect.any(String) },
    ]);
    expect(await tryNode({ definition, nodeId: 'greet', input: { name: 'Ada' } })).toMatchObject({
      status: 200,
    });
  });

  test('an unconnected node, and one beside a node of an unknown type, can be tried', async () => {
    const definition = { ...drawn(greet, { id: 'x', type: 'nothing' }), connections: [] };
    expect(await tryNode({ definition, nodeId: 'greet', input: { name: 'Ada' } })).toMatchObject({
      status: 200,
    });
    const [error] = await refused({ definition, nodeId: 'x' });
    expect(error).toMatchObject({ pointer: '#/definition/nodes/1/type'.replace('1', '2') });
  });

  test.each([
    [[]],
    [3],
    ['x'],
    [null],
    [{}],
    [{ nodes: 3 }],
    [{ id: '#t', nodes: [greet], connections: [] }],
  ])('the definition %j', async (definition) => {
    expect(await refused({ definition: definition as never, nodeId: 'greet' })).not.toEqual([]);
  });
});

describe('a fault of the shape is a 422 with its place:', () => {
  test.each([
    ['no id', { ...drawn(greet), id: undefined } as never, '#/definition/id'],
    ['settings', { ...drawn(greet), settings: 3 }, '#/definition/settings'],
    [
      'a timeout',
      { ...drawn(greet), settings: { timeoutSeconds: 'x' } },
      '#/definition/settings/timeoutSeconds',
    ],
    ['no type', drawn({ id: 'greet', parameters: {} }), '#/definition/nodes/1/type'],
    ['a repeated id', drawn(greet, greet), '#/definition/nodes/2/id'],
    ['a retry', drawn({ ...greet, settings: { retry: 3 } }), '#/definition/nodes/1/settings/retry'],
  ])('%s', async (_, definition: JsonObject, pointer) => {
    expect(await tryNode({ definition, nodeId: 'greet' })).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ pointer })]) },
    });
  });
});

const PURE =
  'aggregate batch code compareLists csv dateTime filter html if limit markdown merge noOp pick removeDuplicates renameKeys set sort splitOut stopAndError summarize switch validate xml';

describe('POST /api/admin/workflows/evaluate', () => {
  const evaluate = (body: JsonObject) => ask('POST', '/api/admin/workflows/evaluate', { body });
  const countTrials = async () =>
    (await ask('GET', '/api/admin/executions?trial=true&limit=100')).body.executions.length;

  test('runs a node that touches nothing outside as a trial would, and stores nothing', async () => {
    const definition = drawn(greet);
    const body = { definition, nodeId: 'greet', outputs: { [hook.id]: { main: { name: 'Ada' } } } };
    const { executionId: _id, warnings: _warnings, durationMs: _took, ...tried } = (await tryNode(body)).body;
    const before = await countTrials();
    expect(await evaluate(body)).toMatchObject({
      status: 200,
      body: { run: { ...tried, durationMs: expect.any(Number) }, errors: [] },
    });
    expect(await countTrials()).toBe(before);
  });

  test('runs the example of each pure type as a trial does, and of no other', async () => {
    const { body: list } = await ask('GET', '/api/admin/node-types?limit=200');
    const ran: string[] = [];
    for (const { nodeType } of list.nodeTypes) {
      const { kind, example, pure } = (await ask('GET', `/api/admin/node-types/${nodeType}`)).body;
      if (kind === 'trigger' || example === null || nodeType === 'respondToWebhook') continue;
      const node = { id: 'it', type: nodeType, parameters: example.parameters };
      const body = { definition: drawn(node), nodeId: 'it', input: example.input ?? {} };
      const { run } = (await evaluate(body)).body;
      if (pure === false) expect([nodeType, run]).toEqual([nodeType, null]);
      if (run === null) continue;
      const tried = (await tryNode(body)).body;
      expect([nodeType, run.outputs, run.failure]).toEqual([nodeType, tried.outputs, tried.failure]);
      ran.push(nodeType);
    }
    expect(ran.filter((nodeType) => !installedNames.added.includes(nodeType)).sort()).toEqual(
      PURE.split(' '),
    );
    expect(requests).toEqual([]);
  });

  test('the same draft and data have the same output, random values and ids too', async () => {
    const draw = { id: 'draw', type: 'set', parameters: { values: { any: '{{ $random() }}' } } };
    const shuffle = {
      id: 'shuffle',
      type: 'code',
      parameters: { code: 'return { any: Math.random(), of: $execution.id };' },
    };
    for (const node of [draw, shuffle]) {
      const body = { definition: drawn(node), nodeId: node.id, input: {} };
      const { run } = (await evaluate(body)).body;
      expect(run).toMatchObject({ status: 'succeeded', failure: null });
      expect((await evaluate(body)).body.run.outputs).toEqual(run.outputs);
    }
  });

  test('a failure is a result, with what the node passes on', async () => {
    const fail = {
      id: 'fail',
      type: 'set',
      parameters: { values: { a: '{{ $uppercase(b) }}' } },
      settings: { onError: 'continue' },
    };
    const { body } = await evaluate({ definition: drawn(fail), nodeId: 'fail', input: { b: 3 } });
    expect(body.run).toMatchObject({
      status: 'succeeded',
      outputs: { main: { error: { name: 'ExpressionError' } } },
      failure: { name: 'ExpressionError' },
    });
  });

  test.each<[string, JsonObject]>([
    ['calls out', fetchPrice()],
    ['reads or writes state', { type: 'state', parameters: { operation: 'increment', key: 'a' } }],
    ['writes a file', { type: 'csv', parameters: { operation: 'write', items: [{ a: 1 }], to: 'file' } }],
    ['makes new values', { type: 'crypto', parameters: { operation: 'uuid' } }],
    ['has a credential', fetchPrice({ credentialId: 'shop' })],
  ])('runs no node that %s: says why, and does nothing', async (_, node) => {
    const definition = drawn({ ...node, id: 'it' });
    const { status, body } = await evaluate({ definition, nodeId: 'it', input: { sku: 'a' } });
    expect([status, body.run]).toEqual([200, null]);
    expect(body.errors).toEqual([{ pointer: '#/nodeId', detail: expect.stringContaining('only a trial') }]);
    expect(requests).toEqual([]);
  });

  test('runs no body', async () => {
    const each = { id: 'each', type: 'forEach', parameters: { items: '{{ items }}' } };
    const within = (node: JsonObject): JsonObject => ({
      ...drawn(each, node),
      connections: [
        { sourceNodeId: hook.id, targetNodeId: 'each' },
        { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: String(node.id) },
      ],
    });
    const input = { items: [{ name: 'Ada' }] };
    const refused = await evaluate({ definition: within(fetchPrice()), nodeId: 'each', input });
    expect([refused.body.run, requests]).toEqual([null, []]);
  });

  test('answers what is wrong with an unfinished node as a result', async () => {
    const bad = { id: 'bad', type: 'set', parameters: { values: 3 } };
    expect(await evaluate({ definition: drawn(bad), nodeId: 'bad' })).toEqual(
      expect.objectContaining({
        status: 200,
        body: {
          run: null,
          errors: [{ pointer: '#/definition/nodes/1/parameters/values', detail: expect.any(String) }],
        },
      }),
    );
    expect((await evaluate({ definition: drawn(greet), nodeId: 'start' })).body).toEqual({
      run: null,
      errors: [{ pointer: '#/nodeId', detail: expect.stringContaining('is a trigger') }],
    });
  });
});

test('input and outputs with keys that could change prototypes are a 400', async () => {
  const body = `{"definition":{},"nodeId":"a","outputs":{"a":{"main":{"__proto__":{"a":1}}}}}`;
  const answer = await ask('POST', '/api/admin/workflows/try', { body });
  expect(answer).toMatchObject({ status: 400 });
});

test('a file that one trial saved is read by the trial of the next node', async () => {
  const download = fetchPrice();
  const definition = drawn(
    { ...download, parameters: { ...(download.parameters as JsonObject), responseType: 'file' } },
    {
      id: 'send',
      type: 'httpRequest',
      parameters: { method: 'POST', url: `${target}/copy`, bodyType: 'file', body: '{{ body }}' },
    },
  );
  const saved = await tryNode({ definition, nodeId: 'price', input: { sku: 'a-1' } });
  const { outputs } = saved.body;
  const read = await tryNode({ definition, nodeId: 'send', outputs: { price: outputs } });
  expect(read.body).toMatchObject({ status: 'succeeded', failure: null });
  const other = { ...definition, id: 'another' };
  const refused = await tryNode({ definition: other, nodeId: 'send', outputs: { price: outputs } });
  expect(refused.body).toMatchObject({
    status: 'failed',
    failure: { message: 'This is not a file of the execution: it belongs to another execution.' },
  });
  const ofSomebody = await tryNode(
    { definition, nodeId: 'send', outputs: { price: outputs } },
    'arn:aws:iam::123456789012:user/somebody',
  );
  expect(ofSomebody.body).toMatchObject({ status: 'failed', failure: refused.body.failure });
});

test('a file of a stored run is not read by a trial of a definition with the id of its workflow', async () => {
  const definition = drawn({
    id: 'send',
    type: 'httpRequest',
    parameters: { method: 'POST', url: `${target}/copy`, bodyType: 'file', body: '{{ body }}' },
  });
  const { DYNAMODB_ENDPOINT: endpoint = '', BLOB_FOLDER: blobs = '' } = values;
  const client = createJsonClient({ region: 'us-east-1', endpoint });
  const executions = createExecutionStore(client, tableNames('test'), {
    retentionDays: 30,
    clock: systemClock,
  });
  await executions.start(
    anExecutionStart({
      executionId: 'run-of-another',
      workflowId: String(definition.id),
      startedAt: Date.now(),
    }),
  );
  const folder = join(blobs, 'executions/run-of-another/files/save');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '0.1'), 'private');
  const sha256 = createHash('sha256').update('private').digest('hex');
  const file = { $file: 'run-of-another/save/0.1', name: 'a', mediaType: 'text/plain', size: 7, sha256 };
  const tried = await tryNode({ definition, nodeId: 'send', input: { body: file } });
  expect(tried.body).toMatchObject({
    status: 'failed',
    failure: { message: expect.stringMatching(/belongs to another execution/) },
  });
});

test('a large output is shortened, as in a record', async () => {
  const fill = { id: 'fill', type: 'set', parameters: { values: { text: '{{ $join([a, a, a]) }}' } } };
  const { status, body } = await tryNode({
    definition: drawn(fill),
    nodeId: 'fill',
    input: { a: 'x'.repeat(1_800_000) },
  });
  expect([status, body.errors, body.isCut]).toEqual([200, undefined, true]);
  expect(JSON.stringify(body).length).toBeLessThan(1_000_000);
});

test('a trial does not touch the state of the workflow, and its own state expires within a day', async () => {
  const client = createJsonClient({ region: 'local', endpoint: String(values.DYNAMODB_ENDPOINT) });
  const store = createStateStore(client, tableNames('test'));
  const live = aStateEntry({ scope: 'workflow:drawn', content: { kind: 'value', value: 7 }, key: 'orders' });
  await store.put(live, null);
  const count = { id: 'count', type: 'state', parameters: { operation: 'increment', key: 'orders' } };
  const { body } = await tryNode({ definition: drawn(count), nodeId: 'count', input: {} });
  expect(body.outputs).toEqual({ main: { value: 1, version: 1 } });
  expect(await store.find('workflow:drawn', 'orders')).toEqual(live);
  const tried = await store.find('trial:workflow:drawn', 'orders');
  expect(Number(tried?.expiresAt) - Number(tried?.writtenAt)).toBe(86_400_000);
});
