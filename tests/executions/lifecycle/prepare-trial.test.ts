import { describe, expect, test } from '@jest/globals';
import { execute } from '../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import {
  prepareTrial,
  type TrialData,
  type TrialStage,
  type TriedNode,
} from '../../../lib/executions/lifecycle/prepare-trial.ts';
import { tryNode as tryOnStage } from '../../../lib/executions/lifecycle/try-node.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { type ANode, aGraph, noOtherWorkflows } from '../../support/a-run.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { filesIn } from '../../support/in-memory-files.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

type TrialOf = Partial<Omit<TriedNode, 'definition'> & TrialData>;

/** A trial of the node `tried`, with its body if it has one. */
const aTrial = (
  tried: ANode,
  { incoming = [], before = new Set(), around = [], trigger = null, ...data }: TrialOf,
  body: Readonly<Record<string, ANode>> = {},
) => {
  const edges = Object.keys(body).map((id) => `tried.body -> ${id}`);
  const { definition, findNodeType } = aGraph({ nodes: { tried, ...body }, edges });
  const time = aVirtualClock();
  const stage: TrialStage = {
    loadNodeTypes: async () => findNodeType,
    stage: 'test',
    readVariables: async () => ({}),
    clock: time.clock,
    ids: { next: () => 'e-1' },
  };
  const node = {
    definition: { ...definition, nodes: definition.nodes.slice(1) },
    incoming,
    before,
    around,
    trigger,
  };
  const http = { request: () => Promise.reject(new Error('no network in tests')) };
  return {
    node,
    data: { input: undefined, outputs: {}, traceparent: null, ...data },
    stage,
    time,
    services: { clock: time.clock, ids: stage.ids, http },
  };
};

/** Tries a node, without recording that. */
const tryNode = async (...trialOf: Parameters<typeof aTrial>) => runTrial(aTrial(...trialOf));

const runTrial = async ({ node, data, stage, time, services }: ReturnType<typeof aTrial>) => {
  const { execution, openPlan, addLog, describe } = await prepareTrial(node, data, stage);
  const { logger, entries } = aRecordingLogger();
  const result = await time.run(
    execute(
      await openPlan(),
      {
        execution: {
          executionId: execution.executionId,
          workflowId: 'workflow',
          workflowVersion: 0,
          trigger: execution.trigger,
          startedAt: new Date(time.clock.now()).toISOString(),
          stage: 'test',
        },
        input: execution.input,
        limits: { timeoutMs: 1_000, maxNodeRuns: 10, maxOutputBytes: 10_000_000 },
      },
      {
        services,
        logger: addLog(logger),
        steps: inlineSteps(time.clock),
        workflows: noOtherWorkflows,
        callbacks: null,
      },
    ),
  );
  return { execution, describe, trial: describe(result), entries };
};

/** Puts out what it receives by connection. */
const listInputs: ANode = { does: (_node, _input, { inputs }) => ({ inputs: inputs as never }) };

describe('a tried node receives', () => {
  const from = (sourceNodeId: string, more = {}) => ({ sourceNodeId, targetNodeId: 'tried', ...more });
  const outputs = { one: { main: { a: 1 }, error: { b: 2 } } };

  test('of the nodes before it, the outputs that are connected to it and known', async () => {
    const incoming = [
      from('one'),
      from('one', { sourceOutput: 'error', targetInput: 'second' }),
      from('one', { sourceOutput: 'toString' }),
      from('two'),
      from('constructor', { sourceOutput: 'name' }),
    ];
    const { trial, execution } = await tryNode(listInputs, { incoming, outputs });
    expect(trial.outputs.main).toEqual({
      inputs: [
        { sourceNodeId: 'one', sourceOutput: 'main', targetInput: 'main', data: { a: 1 } },
        { sourceNodeId: 'one', sourceOutput: 'error', targetInput: 'second', data: { b: 2 } },
      ],
    });
    expect(execution.input).toEqual({ a: 1, b: 2 });
  });

  test('a given input instead, by its first connection', async () => {
    const input = { c: 3 };
    const inputsOf = async (incoming: TriedNode['incoming']) =>
      (await tryNode(listInputs, { incoming, outputs, input })).trial.outputs;
    expect(
      await inputsOf([from('one', { sourceOutput: 'error', targetInput: 'second' }), from('two')]),
    ).toEqual({
      main: { inputs: [{ sourceNodeId: 'one', sourceOutput: 'error', targetInput: 'second', data: input }] },
    });
    expect(await inputsOf([])).toEqual({
      main: { inputs: [{ sourceNodeId: '', sourceOutput: 'main', targetInput: 'main', data: input }] },
    });
  });

  test('frozen data, as in a run', async () => {
    const changes: ANode = {
      does: (_node, _input, { inputs }) => {
        Object.assign(inputs[0]?.data as object, { more: 1 });
        return {};
      },
    };
    expect((await tryNode(changes, { input: {} })).trial).toMatchObject({
      status: 'failed',
      failure: { name: 'TypeError' },
    });
  });
});

test('the body of a tried node receives what the node hands to it', async () => {
  const tried: ANode = {
    control: { suspends: false, bodyOutput: 'body' },
    does: async (_node, _input, { control }) => {
      const [result] = (await control?.runBodies([{ item: 1 }])) ?? [];
      return { ...result } as never;
    },
  };
  const { trial } = await tryNode(tried, { input: { given: true } }, { inner: listInputs });
  expect(trial.outputs.main).toMatchObject({ output: { inputs: [{ data: { item: 1 } }] } });
});

test('the execution of a trial is started by hand by its trigger, or by the node itself without one', async () => {
  const trigger = { nodeId: 'hook', type: 'webhookTrigger' };
  const startedBy = async (data: Parameters<typeof tryNode>[1]) =>
    (await tryNode({}, data)).execution.trigger;
  expect(await startedBy({ trigger })).toEqual({ ...trigger, byHand: true });
  expect(await startedBy({})).toEqual({ nodeId: 'tried', type: 'type-tried', byHand: true });
});

test('the execution of a trial keeps its data, and neither its result nor metrics', async () => {
  expect((await tryNode({}, {})).execution).toMatchObject({
    keepsResult: false,
    workflow: {
      version: 0,
      stage: 'test',
      definition: { settings: { recordData: 'always', metrics: false } },
    },
  });
});

describe('expressions of a tried node read', () => {
  const reads = (text: string): ANode => ({
    parameters: { text },
    does: ({ parameters }) => ({ ...parameters }),
  });

  test('of other nodes only what leads to it, and the output of the trigger', async () => {
    const outputs = { before: { main: { a: 1 } }, other: { main: { a: 1 } }, hook: { main: { b: 2 } } };
    const trigger = { nodeId: 'hook', type: 'webhookTrigger' };
    const { trial } = await tryNode(reads('{{ [$nodes, $trigger] }}'), {
      outputs,
      trigger,
      before: new Set(['before']),
    });
    expect(trial.outputs.main).toEqual({ text: [{ before: { a: 1 } }, { b: 2 }] });
  });

  test('in a body, what it begins with, and the item of the innermost one', async () => {
    const outputs = {
      rows: { main: { results: [] }, each: { item: [1, 2], index: 4 } },
      cells: { each: { item: 2, index: 1 } },
      pages: { body: { page: 3 } },
    };
    const around = [
      { nodeId: 'pages', output: 'body' },
      { nodeId: 'cells', output: 'each' },
      { nodeId: 'rows', output: 'each' },
    ];
    const { trial } = await tryNode(reads('{{ [$item, $nodes.rows.index, $nodes.pages.page] }}'), {
      ...{ outputs, around },
      before: new Set(['rows', 'cells', 'pages']),
    });
    expect(trial.outputs.main).toEqual({ text: [2, 4, 3] });
  });

  test('an empty trigger, where none is known', async () => {
    expect((await tryNode(reads('{{ $trigger }}'), {})).trial.outputs.main).toEqual({ text: {} });
  });
});

describe('what a trial answers', () => {
  /** Logs, and puts out nothing. */
  const logs = (
    ...entries: readonly (readonly ['debug' | 'info' | 'warn' | 'error', string, object?])[]
  ): ANode => ({
    does: (_node, _input, { logger }) => {
      for (const [level, message, fields] of entries) logger[level](message, fields as never);
      return {};
    },
  });

  test('has what the node logs, as the log itself', async () => {
    const { trial, entries } = await tryNode(
      logs(
        ['debug', 'a', { n: 1 }],
        ['info', 'b'],
        ['warn', 'c'],
        ['error', 'd', { cause: new RangeError('far') }],
      ),
      {},
    );
    expect(trial).toMatchObject({
      logOmitted: 0,
      log: [
        { level: 'debug', message: 'a', fields: { n: 1 } },
        { level: 'info', message: 'b' },
        { level: 'warn', message: 'c' },
        { level: 'error', message: 'd', fields: { cause: { name: 'RangeError', message: 'far' } } },
      ],
    });
    expect(entries.map(({ level, message }) => [level, message])).toEqual(
      trial.log.map(({ level, message }) => [level, message]),
    );
  });

  test('has the first 100 entries, and 1,000 characters of a message', async () => {
    const entry = ['info', 'x'.repeat(1_001)] as const;
    const { trial, entries } = await tryNode(logs(...Array.from({ length: 102 }, () => entry)), {});
    expect([trial.log.length, trial.logOmitted, entries.length]).toEqual([100, 2, 102]);
    expect(trial.log[0]).toEqual({ level: 'info', message: 'x'.repeat(1_000) });
  });

  test('has the fields of an entry as in a record: redacted, short, and without what JSON cannot carry', async () => {
    const round: Record<string, unknown> = {};
    round.self = round;
    const { trial } = await tryNode(
      logs(
        ['info', '1', { password: 'hunter2' }],
        ['info', '2', { text: 'x'.repeat(300) }],
        ['info', '3', round],
        ['info', '4', { n: 7n }],
      ),
      {},
    );
    expect(trial.log.map(({ fields }) => fields)).toEqual([
      { password: expect.not.stringContaining('hunter2') },
      { $bytes: 311, $start: expect.any(String) },
      { fields: '[cannot be written as JSON]' },
      { n: '7' },
    ]);
  });

  test('has its outputs as they are up to five megabytes, and is marked beyond that', async () => {
    const ofLength = async (length: number) =>
      (await tryNode({ does: () => ({ text: 'x'.repeat(length) }) }, {})).trial;
    const around = JSON.stringify(JSON.stringify({ main: { text: '' } })).length;
    const whole = await ofLength(5_000_000 - around);
    expect([whole.isCut, JSON.stringify(whole.outputs).length > 4_999_000]).toEqual([undefined, true]);
    const cut = await ofLength(5_000_001 - around);
    expect([cut.isCut, cut.outputs]).toEqual([
      true,
      { $bytes: expect.any(Number), $start: expect.stringContaining('{"main":{"text":"xxx') },
    ]);
  });

  test('has what onError passes on when the node fails, and nothing when that ends the execution', async () => {
    const failing = async (onError?: 'continue' | 'route' | 'fail') => {
      const settings = onError === undefined ? {} : { settings: { onError } };
      const does = () => Promise.reject(new RangeError('far'));
      return (await tryNode({ pure: false, does, ...settings }, { input: { a: 1 } })).trial;
    };
    const failure = { nodeId: 'tried', name: 'RangeError', message: 'far' };
    const passedOn = { a: 1, error: failure };
    expect(await failing('continue')).toMatchObject({
      status: 'succeeded',
      outputs: { main: passedOn },
      failure,
    });
    expect(await failing('route')).toMatchObject({
      status: 'succeeded',
      outputs: { error: passedOn },
      failure,
    });
    for (const onError of ['fail', undefined] as const) {
      const { outputs, ...trial } = await failing(onError);
      expect([outputs, trial]).toEqual([
        {},
        expect.objectContaining({ status: 'failed', failure, attempts: 1 }),
      ]);
    }
  });

  test('of a node that fails in a workflow of format 2 is { error, input }', async () => {
    const does = () => Promise.reject(new RangeError('far'));
    const { node, data, stage, time, services } = aTrial(
      { pure: false, does, settings: { onError: 'continue' } },
      { input: { a: 1 } },
    );
    const ofFormat2 = { ...node, definition: { ...node.definition, format: 2 as const } };
    expect((await runTrial({ node: ofFormat2, data, stage, time, services })).trial.outputs).toEqual({
      main: { error: { nodeId: 'tried', name: 'RangeError', message: 'far' }, input: { a: 1 } },
    });
  });

  test('is a failure when the engine itself fails', async () => {
    const { describe } = await tryNode({}, {});
    const failure = { nodeId: 'tried', name: 'InternalError', message: 'no' };
    const result = { status: 'failed', nodes: [], output: {}, response: null, failure } as const;
    expect(describe(result)).toEqual({
      executionId: 'e-1',
      status: 'failed',
      outputs: {},
      failure,
      attempts: 0,
      durationMs: 0,
      log: [],
      logOmitted: 0,
    });
  });

  test('has how long the node took, and what it has counted', async () => {
    const does: ANode['does'] = async (_node, _input, { addUsage, services }) => {
      addUsage({ tokens: 3 });
      await services.clock.sleep(40);
      return {};
    };
    expect((await tryNode({ pure: false, does }, {})).trial).toMatchObject({
      durationMs: 40,
      usage: { tokens: 3 },
    });
    expect((await tryNode({}, {})).trial).not.toHaveProperty('usage');
  });
  test('has the log of a trial on its stage, which is recorded and not published', async () => {
    const { node, data, stage, time, services } = aTrial(logs(['info', 'hello']), {});
    const { logger, entries } = aRecordingLogger();
    const store = inMemoryExecutionStore();
    const isPublished: boolean[] = [];
    const executions: typeof store = {
      ...store,
      startAndFinish: (start, end) => {
        isPublished.push(end.isInOutbox);
        return store.startAndFinish(start, end);
      },
    };
    const parts = {
      ...stage,
      services,
      executions,
      logger,
      loggerFor: () => logger,
      blobs: inMemoryBlobs(),
      otherWorkflows: noOtherWorkflows,
      filesFor: filesIn(inMemoryBlobs()),
    };
    const { executionId, log } = await time.run(
      tryOnStage(node, { ...data, trialSuffix: '-own' }, 1_000, parts),
    );
    expect(log).toEqual([{ level: 'info', message: 'hello' }]);
    expect(entries).toMatchObject(log);
    expect(await store.find(executionId)).toMatchObject({ status: 'succeeded' });
    expect(isPublished).toEqual([false]);
  });
});
