import type { HttpClient, NodeContext, NodeExecutor } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import { describe, expect, test } from '@jest/globals';
import type { CredentialSource } from '../../../lib/engine/credentials.ts';
import type { NewExecution } from '../../../lib/executions/lifecycle/new-execution.ts';
import { createOpenPlan } from '../../../lib/executions/lifecycle/plans.ts';
import { createPrepareRun, lendTo } from '../../../lib/executions/lifecycle/run-execution.ts';
import type { FilesFor } from '../../../lib/executions/ports.ts';
import { fillInDeclarations } from '../../../lib/plugins/adapt-provider.ts';
import type { Workflow, WorkflowSettings } from '../../../lib/workflows/definition/definition.ts';
import type { Plan } from '../../../lib/workflows/plan/plan.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { noOtherWorkflows } from '../../support/a-run.ts';
import { anExecutionStart } from '../../support/a-start.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { filesIn } from '../../support/in-memory-files.ts';

/** start → work → end: the trigger hands its input on, `work` is the test's, `end` does nothing. */
const aChain = (settings: WorkflowSettings = {}): Workflow => ({
  version: 3,
  updatedAt: '2026-01-01T00:00:00.000Z',
  definition: {
    id: 'shop',
    name: 'Shop',
    enabled: true,
    nodes: ['start', 'work', 'end'].map((id) => ({ id, type: id, parameters: {} })),
    connections: [
      { sourceNodeId: 'start', targetNodeId: 'work' },
      { sourceNodeId: 'work', targetNodeId: 'end' },
    ],
    settings,
  },
});

const anExecution = (changes: Partial<NewExecution> = {}): NewExecution => ({
  executionId: 'e-1',
  workflow: aChain(),
  trigger: { nodeId: 'start', type: 'start' },
  input: { body: 'hi' },
  keepsResult: false,
  traceparent: null,
  ...changes,
});

/** Version 3 of the chain, started by its first node. */
const started = anExecutionStart({
  workflowId: 'shop',
  trigger: { nodeId: 'start', type: 'start' },
  mode: 'inline',
  startedAt: 1_000,
});

const aPreparation = (
  work: NodeExecutor['execute'] = (_node, input) => input,
  isPure = true,
  /** For the credentials. */
  waitsMs = 0,
  changes: Partial<Parameters<typeof createPrepareRun>[0]> = {},
) => {
  const clock = { time: 1_000, now: () => clock.time, sleep: () => new Promise<void>(() => {}) };
  const execute = (nodeType: string): NodeExecutor['execute'] =>
    nodeType === 'work' ? work : (_node, input) => input;
  const aNodeType = (nodeType: string): NodeType => ({
    nodeType,
    kind: nodeType === 'start' ? 'trigger' : 'action',
    pure: isPure,
    control: null,
    ...fillInDeclarations({}),
    firedBy: null,
    schema: {},
    getExecutor: async () => ({ getNodeType: () => nodeType, execute: execute(nodeType) }),
  });
  const plans = new Map<string, Promise<Plan>>();
  const loaded: string[] = [];
  const { logger, entries } = aRecordingLogger();
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => (nodeType) =>
      ['start', 'work', 'end'].includes(nodeType) ? aNodeType(nodeType) : null,
    lookUpPlan: (key, load) => {
      const plan = plans.get(key) ?? load();
      if (!plans.has(key)) loaded.push(key);
      plans.set(key, plan);
      return plan;
    },
  });
  const prepare = createPrepareRun({
    openPlan,
    otherWorkflows: noOtherWorkflows,
    services: { clock, ids: { next: () => 'id' }, http: { request: () => Promise.reject() } },
    filesFor: filesIn(inMemoryBlobs()),
    outboundCredentials: {
      open: () => Promise.reject(new Error('no node has a credential')),
      prefetch: async () => {
        clock.time += waitsMs;
      },
    },
    loggerFor: ({ executionId }) => ({
      ...logger,
      info: (message) => logger.info(message, { executionId }),
    }),
    ...changes,
  });
  return { prepare, clock, loaded, entries };
};

describe('preparing a run', () => {
  test('runs the plan from the trigger, and names the run', async () => {
    let seen: NodeContext | undefined;
    const { prepare, entries } = aPreparation((_node, input, context) => {
      seen = context;
      context.logger.info('working');
      return { ...input, worked: true };
    });
    const workflow = { ...aChain(), stage: 'production' };
    const { run } = await prepare(anExecution({ workflow }), 60_000);
    expect(await run(started)).toMatchObject({ status: 'succeeded', output: { body: 'hi', worked: true } });
    expect(seen?.execution).toEqual({
      executionId: 'e-1',
      workflowId: 'shop',
      workflowVersion: 3,
      trigger: { nodeId: 'start', type: 'start' },
      startedAt: '1970-01-01T00:00:01.000Z',
      stage: 'production',
    });
    expect(entries).toEqual([{ level: 'info', message: 'working', fields: { executionId: 'e-1' } }]);
  });

  test.each([true, false])('detects whether all nodes are pure: %p', async (isPure) => {
    const { prepare } = aPreparation(undefined, isPure);
    expect(await prepare(anExecution(), 60_000)).toMatchObject({ isPure });
  });

  test('gives the run the time that its credentials have left', async () => {
    const { prepare, clock } = aPreparation(
      (_node, input) => {
        clock.time += 10_001;
        return input;
      },
      true,
      10_000,
    );
    const workflow = aChain();
    const nodes = workflow.definition.nodes.map((node, at, { length }) =>
      at === length - 1 ? { ...node, credentialId: 'mail' } : node,
    );
    const execution = anExecution({
      workflow: { ...workflow, definition: { ...workflow.definition, nodes } },
    });
    const { run } = await prepare(execution, 20_000);
    const result = await run({ ...started, startedAt: clock.time });
    expect(result).toMatchObject({ status: 'timedOut', failure: { name: 'ExecutionTimeout' } });
  });

  test.each([
    [20_000, 10_000],
    [60_000, 14_000],
  ])('of a caller that waits %d ms, its credentials take at most %d', async (timeLimitMs, maxWaitMs) => {
    const prefetched: unknown[] = [];
    const opened: unknown[] = [];
    const outboundCredentials: CredentialSource = {
      prefetch: async (...args) => void prefetched.push(args),
      open: (options) => {
        opened.push(options);
        return Promise.reject(new Error('no such credential'));
      },
    };
    const workflow = aChain();
    const nodes = workflow.definition.nodes.map((node) =>
      node.id === 'work' ? { ...node, credentialId: 'mail' } : node,
    );
    const { prepare } = aPreparation(undefined, false, 0, { outboundCredentials });
    const changed = { ...workflow, definition: { ...workflow.definition, nodes } };
    const { run } = await prepare(anExecution({ workflow: changed }), timeLimitMs);
    expect(await run(started)).toMatchObject({ status: 'failed', failure: { nodeId: 'work' } });
    expect(prefetched).toEqual([[['mail'], maxWaitMs]]);
    expect(opened).toEqual([{ credentialIds: ['mail'] }]);
  });

  test('in the background, its credentials may take longer', async () => {
    const opened: unknown[] = [];
    const open: CredentialSource['open'] = (options) => {
      opened.push(options);
      return Promise.reject(new Error('no such credential'));
    };
    const source = { open, prefetch: async () => {} };
    await lendTo({ credentialIds: ['mail'] }, source, 180_000)
      ?.open({})
      .catch(() => {});
    expect(opened).toEqual([{ credentialIds: ['mail'], maxWaitMs: 180_000 }]);
    expect(lendTo({ credentialIds: ['mail'] }, undefined)).toBeUndefined();
  });

  test('keeps the files of a run for days beyond its record', async () => {
    const opened: unknown[] = [];
    const filesFor: FilesFor = (of) => {
      opened.push(of);
      return filesIn(inMemoryBlobs())(of);
    };
    const { prepare } = aPreparation(undefined, false, 0, { filesFor });
    await (await prepare(anExecution(), 60_000)).run(started);
    expect(opened).toMatchObject([{ executionId: started.executionId, life: 4 }]);
  });

  test('tells the HTTP client by which request the run was started', async () => {
    const sent: unknown[] = [];
    const request: HttpClient['request'] = async (given) => {
      sent.push(given);
      throw new Error('no network in tests');
    };
    const work: NodeExecutor['execute'] = async (_node, _input, { services }) => {
      await services.http.request({ method: 'GET', url: 'https://a.example' } as never).catch(() => {});
      return {};
    };
    const { clock } = aPreparation();
    const services = { clock, ids: { next: () => 'id' }, http: { request } };
    const { prepare } = aPreparation(work, false, 0, { services });
    const input = { headers: { 'x-depth': '1' } };
    await (await prepare(anExecution({ input }), 60_000)).run(started);
    await (await prepare(anExecution({ input: {} }), 60_000)).run(started);
    const { executionId } = started;
    expect(sent).toMatchObject([
      { url: 'https://a.example', startedBy: { headers: { 'x-depth': '1' }, executionId } },
      { url: 'https://a.example', startedBy: { headers: null, executionId } },
    ]);
  });

  test('builds one plan per version', async () => {
    const { prepare, loaded } = aPreparation();
    await prepare(anExecution(), 60_000);
    await prepare(anExecution({ executionId: 'e-2' }), 60_000);
    await prepare(anExecution({ workflow: { ...aChain(), version: 4 } }), 60_000);
    expect(loaded).toHaveLength(2);
  });

  test.each<[string, Partial<NewExecution>]>([
    ['a trigger that does not exist', { trigger: { nodeId: 'gone', type: 'start' } }],
    ['a trigger that is none', { trigger: { nodeId: 'work', type: 'work' } }],
    [
      'a node type that is not installed',
      {
        workflow: {
          ...aChain(),
          definition: { ...aChain().definition, nodes: [{ id: 'start', type: 'gone', parameters: {} }] },
        },
      },
    ],
  ])('refuses %s before anything starts', async (_case, changes) => {
    const { prepare } = aPreparation();
    await expect(prepare(anExecution(changes), 60_000)).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' });
  });

  test.each([
    ['the workflow', { timeoutSeconds: 2 }, 60_000, 'longer than 2000 ms'],
    ['the caller that waits', { timeoutSeconds: 50 }, 1_500, 'longer than 1500 ms'],
    ['nothing, so 25 seconds', {}, 60_000, 'longer than 25000 ms'],
  ])('limits the time by %s', async (_case, settings, timeLimitMs, message) => {
    const { prepare, clock } = aPreparation((_node, input) => {
      clock.time += 26_000;
      return input;
    });
    const { run } = await prepare(anExecution({ workflow: aChain(settings) }), timeLimitMs);
    expect(await run(started)).toMatchObject({
      status: 'timedOut',
      failure: { message: expect.stringContaining(message) },
    });
  });

  test.each([
    ['node runs', { maxNodeRuns: 2 }, { name: 'NodeRunLimit' }],
    ['output', { maxOutputBytes: 5 }, { message: expect.stringContaining('at most 5 are allowed') }],
  ])('limits the run by the %s of the workflow', async (_case, settings, failure) => {
    const { prepare } = aPreparation();
    const { run } = await prepare(anExecution({ workflow: aChain(settings) }), 60_000);
    expect(await run(started)).toMatchObject({ status: 'failed', failure });
  });
});
