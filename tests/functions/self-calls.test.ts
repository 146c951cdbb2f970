import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createRouter, startGateway } from 'lambda-stage/gateway';
import { createTokenBuckets } from '../../lib/adapters/dynamodb/limits/token-buckets.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { openWebhook } from '../../lib/app/compose/webhook.ts';
import { readConfig } from '../../lib/app/config.ts';
import { createWebhookFunction } from '../../lib/app/webhook-handler.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aLocalServer } from '../support/a-local-server.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { environmentOf } from '../support/function-environment.ts';
import { createRunExecution } from '../support/run-execution.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The webhook function behind the local gateway, and what it dispatches, one execution after the other. */
const aService = async () => {
  const { client, tables, endpoint } = await openDatabase();
  const values = {
    DYNAMODB_ENDPOINT: endpoint,
    AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9', // the sweeper is not needed
    BLOB_FOLDER: '/nonexistent',
    OUTBOUND_ALLOW: 'localhost,127.0.0.1',
    WORKFLOW_CACHE_SECONDS: '0',
  };
  const configOf = (functionKey: string) => readConfig(environmentOf(functionKey, values));
  const queue: { readonly executionId: string; readonly mode: 'durable' | 'express' }[] = [];
  const started: string[] = [];
  const dispatch = async (executionId: string, mode: 'durable' | 'express') =>
    void queue.push({ executionId, mode });
  const webhook = openWebhook(installedPlugins, configOf('webhook'));
  const handler = createWebhookFunction({ ...webhook, dispatcher: { dispatch } });
  const gateway = await startGateway({
    port: 0,
    findRoute: createRouter([{ event: '* /api/webhook/{workflowId}/{path+}', functionKey: 'webhook' }]),
    invoke: (_key, event) => handler(event, {} as Context),
    log: () => {},
  });
  cleanups.push(() => gateway.stop());
  const runExecution = createRunExecution(configOf);
  const workflows = createWorkflowStore(client, tables, systemClock);
  const origin = `http://localhost:${gateway.port}`;
  /** Runs what is dispatched, until so many executions have been run. */
  const run = async (count: number): Promise<void> => {
    while (started.length < count) {
      const next = queue.shift();
      if (next === undefined) return;
      started.push(next.executionId);
      await runExecution(next.executionId, next.mode);
    }
  };
  const takeToken = createTokenBuckets(client, tables);
  return {
    origin,
    started,
    /** Takes what the calls of an execution may still start in a day, but for some: with one token of a bucket whose tokens are large. */
    leave: (root: string, left: number) =>
      takeToken(
        { key: `calls:${root}`, burst: 2, intervalUs: 86_400_000 * (1_000 - left) },
        Date.now() * 1_000,
        null,
      ),
    executions: webhook.executions,
    put: (id: string, nodes: readonly WorkflowNode[], changes: JsonObject = {}) => {
      const [request, ...chain] = nodes;
      const connections = chain.map((node, at) => ({
        sourceNodeId: nodes[at]?.id ?? String(request?.id),
        targetNodeId: node.id,
      }));
      const definition = aWorkflow({ id, nodes: [...nodes], connections, ...changes });
      return workflows.put(definition, toPathConfigs(definition));
    },
    /** Runs what is dispatched, and what that dispatches, at most 50 executions. */
    settle: () => run(50),
    run,
    send: (id: string, headers: Record<string, string> = {}) =>
      fetch(`${origin}/api/webhook/${id}/go`, { method: 'POST', headers }),
  };
};

const trigger = (responseMode = 'onReceived'): WorkflowNode => ({
  id: 'request',
  type: 'webhookTrigger',
  parameters: { path: '/go', method: 'POST', responseMode },
});

const call = (url: string, parameters: JsonObject = {}): WorkflowNode => ({
  id: 'call',
  type: 'httpRequest',
  parameters: { url, method: 'POST', ...parameters },
});

const inMode = (execution: string): JsonObject => ({ settings: { execution, recordData: 'always' } });

describe.each(['express', 'durable'])('a workflow that calls itself, %s', (mode) => {
  test('runs ten times, then its call is refused with 409', async () => {
    const service = await aService();
    const url = `${service.origin}/api/webhook/circle/go`;
    await service.put('circle', [trigger(), call(url)], inMode(mode));
    expect((await service.send('circle')).status).toBe(202);
    await service.settle();
    expect(service.started).toHaveLength(10);
    const records = await Promise.all(service.started.map((id) => service.executions.find(id)));
    expect(records.map((record) => record?.status)).toEqual([...Array(9).fill('succeeded'), 'failed']);
    const { failure } = records.at(-1) ?? {};
    expect(failure).toMatchObject({ nodeId: 'call', message: expect.stringContaining('409') });
    const [, node] = records.at(-1)?.nodes ?? [];
    expect(JSON.stringify(node?.failure?.details)).toContain('loop-detected');
  });

  test('stops even if its node overwrites the header', async () => {
    const service = await aService();
    const url = `${service.origin}/api/webhook/circle/go`;
    const headers = { 'Hookloom-Depth': '0' };
    await service.put('circle', [trigger(), call(url, { headers })], inMode(mode));
    await service.send('circle');
    await service.settle();
    expect(service.started).toHaveLength(10);
  });
});

test('two workflows that call each other, one of them in a forEach body, end after ten', async () => {
  const service = await aService();
  const to = (id: string) => `${service.origin}/api/webhook/${id}/go`;
  await service.put('a', [trigger(), call(to('b'))], inMode('express'));
  const loop = { id: 'each', type: 'forEach', parameters: { items: [1] } };
  const definition: JsonObject = {
    ...inMode('durable'),
    connections: [
      { sourceNodeId: 'request', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'call' },
    ],
  };
  await service.put('b', [trigger(), loop, call(to('a'))], definition);
  await service.send('a');
  await service.settle();
  expect(service.started).toHaveLength(10);
});

test('a workflow that waits for the response to its own call ends too', async () => {
  const service = await aService();
  const url = `${service.origin}/api/webhook/circle/go`;
  await service.put('circle', [trigger('lastNode'), call(url)]);
  const answer = await service.send('circle');
  expect(answer.status).toBe(500);
  const { executions } = await service.executions.list({ workflowId: 'circle', limit: 50 });
  expect(executions).toHaveLength(10);
});

test('many sequential calls to another workflow of the service are not a cycle', async () => {
  const service = await aService();
  const loop = {
    id: 'each',
    type: 'forEach',
    parameters: { items: Array.from({ length: 15 }, (_, at) => at) },
  };
  const definition: JsonObject = {
    ...inMode('durable'),
    connections: [
      { sourceNodeId: 'request', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'call' },
    ],
  };
  await service.put('many', [trigger(), loop, call(`${service.origin}/api/webhook/one/go`)], definition);
  await service.put(
    'one',
    [trigger(), { id: 'next', type: 'set', parameters: { values: {} } }],
    inMode('express'),
  );
  await service.send('many');
  await service.settle();
  expect(service.started).toHaveLength(16);
  const records = await Promise.all(service.started.map((id) => service.executions.find(id)));
  expect(records.map((record) => record?.status)).toEqual(Array(16).fill('succeeded'));
});

describe('a workflow whose executions each call it several times', () => {
  const definition: JsonObject = {
    ...inMode('express'),
    connections: [
      { sourceNodeId: 'request', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'call' },
    ],
  };
  const aTree = async (calls: number) => {
    const service = await aService();
    const items = Array.from({ length: calls }, (_, at) => at);
    const loop = { id: 'each', type: 'forEach', parameters: { items, onItemError: 'continue' } };
    const url = `${service.origin}/api/webhook/tree/go`;
    await service.put('tree', [trigger(), loop, call(url)], definition);
    return service;
  };

  test('starts those that it calls itself, and as many others as its first execution has left', async () => {
    const service = await aTree(3);
    expect((await service.send('tree')).status).toBe(202);
    await service.run(1); // the first execution calls three times
    const [root = ''] = service.started;
    await service.leave(root, 4);
    await service.settle();
    expect(service.started).toHaveLength(1 + 3 + 4);
    const records = await Promise.all(service.started.map((id) => service.executions.find(id)));
    const texts = records.map((record) => JSON.stringify(record?.nodes ?? []));
    expect(texts.filter((text) => text.includes('loop-detected')).length).toBeGreaterThan(0);
    expect(texts.join()).toContain(`the calls of execution ${root} have led to 1000 others in a day`);
  });

  test('leaves what another first execution starts alone', async () => {
    const service = await aTree(1);
    await service.leave('another', 0);
    await service.send('tree');
    await service.settle();
    expect(service.started).toHaveLength(10);
  });
});

describe('the header', () => {
  test('is sent only to the service, not to another host, nor there by a redirect', async () => {
    const service = await aService();
    const foreign = await aLocalServer({
      '/in': (_request, response) => response.end('{}'),
      '/back': (_request, response) =>
        response.writeHead(307, { location: `${service.origin}/api/webhook/here/go` }).end(),
    });
    cleanups.push(foreign.close);
    const answer = [
      trigger('lastNode'),
      {
        id: 'next',
        type: 'set',
        parameters: { values: { depth: "{{ $lookup(headers, 'hookloom-depth') }}" } },
      },
    ];
    await service.put('here', answer as WorkflowNode[]);
    const headers = { 'hookloom-depth': '7' };
    await service.put('out', [trigger('lastNode'), call(`${foreign.origin}/in`, { headers })]);
    await service.put('back', [trigger('lastNode'), call(`${foreign.origin}/back`, { headers })]);
    expect((await service.send('out', { 'hookloom-depth': '3' })).status).toBe(200);
    expect(await (await service.send('back', { 'hookloom-depth': '3' })).json()).toMatchObject({
      body: { depth: expect.stringMatching(/^4\/[\w-]{20,64}$/) },
    });
    expect(foreign.received.map((request) => request.headers['hookloom-depth'])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test.each(['', 'x', '-1', '1e3', '99999', '3,4', '3/', '3/a b', `3/${'a'.repeat(65)}`])(
    '%j from elsewhere is ignored',
    async (depth) => {
      const service = await aService();
      await service.put('here', [
        trigger('lastNode'),
        { id: 'next', type: 'set', parameters: { values: {} } },
      ]);
      expect((await service.send('here', { 'hookloom-depth': depth })).status).toBe(200);
    },
  );
});
