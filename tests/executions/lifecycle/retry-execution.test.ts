import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import { retryEdited, retryExecution } from '../../../lib/executions/lifecycle/retry-execution.ts';
import type { Dispatcher } from '../../../lib/executions/ports.ts';
import { packText } from '../../../lib/executions/record/blob-store.ts';
import type {
  ExecutionEnd,
  ExecutionStart,
  ExecutionStore,
  RetryOptions,
} from '../../../lib/executions/record/execution-store.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { type ANode, aGraph } from '../../support/a-run.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';

const graph = {
  nodes: {
    reserve: { pure: false },
    pause: { control: { suspends: true } },
    each: { control: { suspends: false, bodyOutput: 'body' } },
    inner: { pure: false },
    poll: { control: { suspends: true, bodyOutput: 'body' } },
    check: {},
    pay: { pure: false },
    mail: { pure: false },
    alone: {},
  } satisfies Record<string, ANode>,
  edges: [
    'start -> reserve',
    'reserve -> pause',
    'pause -> each',
    'each.body -> inner',
    'each -> poll',
    'poll.body -> check',
    'poll -> pay',
    'pay -> mail',
  ],
};
const { definition, findNodeType } = aGraph(graph);

const aNode = (nodeId: string, changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId,
  type: `type-${nodeId}`,
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: 1_700_000_000_000,
  durationMs: 1,
  ...changes,
});

/** The journal of a run that reached `pay`. */
const CHECKPOINTS = {
  'reserve/0': { step: { outputs: { main: {} }, attempts: 1 } },
  'pause/0/0': { waited: true },
  'each/0/0/inner/0': { step: { outputs: { main: {} }, attempts: 1 } },
  'pay/0': { step: { outputs: { main: {} }, attempts: 1 } },
};

/** A durable run of version 1 that failed at `mail`; what a test says of it is different. */
const anEnded = (changes: Partial<ExecutionEnd> = {}): ExecutionEnd =>
  anExecutionEnd({
    status: 'failed',
    failure: { nodeId: 'mail', name: 'Error', message: 'no' },
    nodes: [
      aNode('start'),
      aNode('reserve'),
      aNode('pause'),
      aNode('each'),
      aNode('inner', { within: 'each/0/0' }),
      aNode('pay'),
      aNode('mail', { status: 'failed' }),
    ],
    checkpoints: `j${JSON.stringify(CHECKPOINTS)}`,
    ...changes,
  });

interface Setting {
  readonly start?: Partial<ExecutionStart>;
  /** Null for a run that has not ended. */
  readonly end?: ExecutionEnd | null;
  readonly executions?: Partial<ExecutionStore>;
  readonly dispatch?: Dispatcher['dispatch'];
  readonly findNodeType?: FindNodeType;
}

const aService = async ({
  start = {},
  end = anEnded(),
  executions: spoilt = {},
  dispatch,
  findNodeType: find = findNodeType,
}: Setting = {}) => {
  const store = inMemoryExecutionStore();
  const workflows = inMemoryWorkflowStore();
  await workflows.put(definition, []);
  const old = anExecutionStart({
    executionId: 'old',
    workflowId: 'workflow',
    workflowVersion: 1,
    trigger: { nodeId: 'start', type: 'type-start' },
    ...start,
  });
  await store.start(old);
  if (end !== null) await store.finish('old', end);
  const dispatched: string[] = [];
  const { logger, entries } = aRecordingLogger();
  let count = 0;
  const parts = {
    executions: { ...store, ...spoilt },
    workflows,
    dispatcher: {
      dispatch:
        dispatch ??
        (async (executionId: string, mode: string) => {
          dispatched.push(`${executionId} ${mode}`);
        }),
    },
    openPlan: async (workflow: { definition: typeof definition }) => compilePlan(workflow.definition, find),
    modeOf: async ({ definition: { settings } }: { definition: { settings?: { execution?: 'express' } } }) =>
      settings?.execution ?? ('durable' as const),
    ids: { next: () => `new-${++count}` },
    clock: { now: () => 1_800_000_000_000 },
    logger,
  };
  const retry = (options: Partial<RetryOptions> = {}, executionId = 'old') =>
    retryExecution(executionId, { from: null, version: 'recorded', ...options }, parts as never);
  /** Retries with an edited input, which any trigger takes. */
  const edit = (get = async (): Promise<Uint8Array | null> => null) =>
    retryEdited('old', 'recorded', { input: { a: 2 }, by: null }, {
      ...parts,
      blobs: { ...inMemoryBlobs(), get },
      checkInput: async () => null,
    } as never);
  return { retry, edit, store, workflows, dispatched, entries };
};

const refused = (reason: string) => ({
  code: 'NOT_RETRYABLE',
  message: expect.stringContaining(reason),
});

describe('a retry', () => {
  test('is a new execution of the same request, dispatched under its own id', async () => {
    const { retry, store, dispatched } = await aService({ start: { input: 'j{"body":{"a":1}}' } });
    const start = await retry();
    expect(start).toEqual({
      executionId: 'new-1',
      workflowId: 'workflow',
      traceparent: null,
      held: null,
      workflowVersion: 1,
      trigger: { nodeId: 'start', type: 'type-start' },
      mode: 'durable',
      status: 'accepted',
      startedAt: 1_800_000_000_000,
      startToken: 'new-2',
      input: 'j{"body":{"a":1}}',
      callbackKey: 'new-3new-4',
      retryOf: { executionId: 'old', fromNodeId: null },
      retriedCheckpoints: null,
      requestId: null,
      keepsResult: false,
    });
    const { input, callbackKey, retriedCheckpoints, ...record } = start;
    expect(await store.find('new-1')).toMatchObject(record);
    expect(await store.findData('new-1')).toMatchObject({ input, callbackKey, retriedCheckpoints });
    expect(dispatched).toEqual(['new-1 durable']);
  });

  test('signs its callback URLs with its own key', async () => {
    const { retry } = await aService();
    const keys = new Set(['key-1', (await retry()).callbackKey, (await retry()).callbackKey]);
    expect(keys.size).toBe(3);
  });

  test('runs on the recorded version, or on the current one', async () => {
    const { retry, workflows, dispatched } = await aService();
    await workflows.put({ ...definition, settings: { execution: 'express' } }, []);
    expect(await retry()).toMatchObject({ workflowVersion: 1, mode: 'durable' });
    expect(await retry({ version: 'current' })).toMatchObject({ workflowVersion: 2, mode: 'express' });
    expect(dispatched).toEqual(['new-1 durable', 'new-5 express']);
  });

  test('of a removed workflow runs on the recorded version, since there is no current one', async () => {
    const { retry, workflows } = await aService();
    await workflows.remove('workflow');
    expect(await retry()).toMatchObject({ workflowVersion: 1 });
    await expect(retry({ version: 'current' })).rejects.toMatchObject(refused('there is no current version'));
  });

  test('of a run whose caller waited runs in the background if its request was kept', async () => {
    const { retry, dispatched } = await aService({ start: { mode: 'inline', status: 'running' } });
    expect(await retry()).toMatchObject({ mode: 'durable' });
    expect(dispatched).toEqual(['new-1 durable']);
  });

  test.each(['succeeded', 'failed', 'cancelled', 'timedOut'] as const)(
    'of one that %s is possible',
    async (status) => {
      const { retry } = await aService({ end: anEnded({ status }) });
      expect(await retry()).toMatchObject({ status: 'accepted' });
    },
  );
});

describe('a retry from a node', () => {
  test('starts with the checkpoints as they were packed', async () => {
    const end = anEnded();
    const { retry } = await aService({ end });
    expect(await retry({ from: 'mail' })).toMatchObject({
      retriedCheckpoints: end.checkpoints,
      retryOf: { executionId: 'old', fromNodeId: 'mail' },
    });
  });

  test('ignores a missing wait, which is harmless to repeat', async () => {
    const { 'pause/0/0': _lost, ...checkpoints } = CHECKPOINTS;
    const { retry } = await aService({ end: anEnded({ checkpoints: `j${JSON.stringify(checkpoints)}` }) });
    expect(await retry({ from: 'mail' })).toMatchObject({ retryOf: { fromNodeId: 'mail' } });
  });

  test('is refused for a type that only a subworkflow has, without its checkpoint', async () => {
    const charge = { ...aNode('charge'), within: 'each/0/0', type: 'charge-elsewhere' };
    const { nodes, ...end } = anEnded();
    const { retry } = await aService({ end: anEnded({ ...end, nodes: [...nodes, charge] }) });
    await expect(retry({ from: 'mail' })).rejects.toMatchObject(refused('"charge" was not kept'));
  });

  test('ignores missing checkpoints of the nodes that run again', async () => {
    const { retry } = await aService({ end: anEnded({ checkpoints: 'j{}' }) });
    expect(await retry({ from: 'reserve' })).toMatchObject({ retryOf: { fromNodeId: 'reserve' } });
  });

  test.each(['reserve/0', 'each/0/0/inner/0', 'pay/0'] as (keyof typeof CHECKPOINTS)[])(
    'is refused without the checkpoint of %s, which would run again',
    async (name) => {
      const { [name]: _lost, ...checkpoints }: Partial<typeof CHECKPOINTS> = CHECKPOINTS;
      const node = name.includes('inner') ? 'inner' : name.split('/')[0];
      for (const packed of [
        `j${JSON.stringify(checkpoints)}`,
        await packText(JSON.stringify({ ...checkpoints, filler: 'x'.repeat(2_000) }), {
          limitBytes: 1_000,
          key: 'checkpoints',
          blobs: inMemoryBlobs(),
        }),
      ]) {
        const { retry, dispatched } = await aService({ end: anEnded({ checkpoints: packed }) });
        await expect(retry({ from: 'mail' })).rejects.toMatchObject(
          refused(`the result of its node "${node}" was not kept`),
        );
        expect(dispatched).toEqual([]);
      }
    },
  );

  test('is possible with a journal too large for the record, but not after a success, whose journal may be incomplete', async () => {
    const checkpoints = 'bexecutions/old/checkpoints';
    const { retry } = await aService({ end: anEnded({ checkpoints }) });
    expect(await retry({ from: 'mail' })).toMatchObject({ retriedCheckpoints: checkpoints });
    const other = await aService({ end: anEnded({ checkpoints, status: 'succeeded', failure: null }) });
    await expect(other.retry({ from: 'mail' })).rejects.toMatchObject(
      refused('its results were not all kept'),
    );
  });

  test.each([
    ['that the version does not have', 'ship', 'this version has no node "ship"'],
    ['that its trigger does not reach', 'alone', 'no connection leads from its trigger to the node "alone"'],
    ['that another node runs', 'inner', 'only through the node that runs it'],
  ])('%s is refused', async (_what, from, reason) => {
    const { retry, dispatched } = await aService();
    await expect(retry({ from })).rejects.toMatchObject(refused(reason));
    expect(dispatched).toEqual([]);
  });

  test('is refused when the failed node is not downstream: its failure is a checkpoint too', async () => {
    const failure = { nodeId: 'reserve', name: 'Error', message: 'no' };
    const { retry } = await aService({
      end: anEnded({ nodes: [aNode('reserve', { status: 'failed' })], failure }),
    });
    await expect(retry({ from: 'mail' })).rejects.toMatchObject(
      refused('it ended at its node "reserve", which does not follow "mail"'),
    );
    expect(await retry({ from: 'reserve' })).toMatchObject({ status: 'accepted' });
  });

  test.each(['running', 'waiting'] as const)(
    'is refused when a node before it was still %s',
    async (status) => {
      const nodes = [aNode('reserve'), aNode('pause', { status })];
      const { retry } = await aService({ end: anEnded({ nodes, status: 'timedOut' }) });
      await expect(retry({ from: 'mail' })).rejects.toMatchObject(refused('it ended at its node "pause"'));
      expect(await retry({ from: 'pause' })).toMatchObject({ status: 'accepted' });
    },
  );

  test('ignores failures that did not end the run', async () => {
    const nodes = [aNode('reserve', { status: 'failed' }), aNode('mail', { status: 'failed' })];
    const { retry } = await aService({ end: anEnded({ nodes }) });
    expect(await retry({ from: 'mail' })).toMatchObject({ status: 'accepted' });
  });

  test('looks for the node in the version that is to run', async () => {
    const { retry, workflows } = await aService({ end: anEnded({ nodes: [aNode('pay')] }) });
    const other = aGraph({ nodes: { ...graph.nodes, ship: {} }, edges: [...graph.edges, 'pay -> ship'] });
    const nodes = other.definition.nodes.map((node) =>
      node.id === 'ship' ? { ...node, type: 'type-mail' } : node,
    );
    await workflows.put({ ...other.definition, nodes }, []);
    expect(await retry({ from: 'ship', version: 'current' })).toMatchObject({ workflowVersion: 2 });
    await expect(retry({ from: 'ship' })).rejects.toMatchObject(refused('this version has no node "ship"'));
  });

  test('ignores failures of a run that succeeded', async () => {
    const nodes = [aNode('reserve', { status: 'failed' }), aNode('mail')];
    const { retry } = await aService({ end: anEnded({ status: 'succeeded', failure: null, nodes }) });
    expect(await retry({ from: 'mail' })).toMatchObject({ status: 'accepted' });
  });

  test.each([
    ['failed', 'its node "reserve" was not kept'],
    ['succeeded', 'its node "reserve" was not kept'],
    ['skipped', null],
    ['passedThrough', null],
  ] as const)('without the checkpoint of a node that is %s: %s', async (status, reason) => {
    const nodes = [aNode('reserve', { status }), aNode('mail', { status: 'failed' })];
    const { retry } = await aService({ end: anEnded({ nodes, checkpoints: 'j{}' }) });
    if (reason === null) expect(await retry({ from: 'mail' })).toMatchObject({ status: 'accepted' });
    else await expect(retry({ from: 'mail' })).rejects.toMatchObject(refused(reason));
  });

  test('needs a checkpoint of a loop that waits, in any of its rounds', async () => {
    const nodes = [aNode('poll'), aNode('mail', { status: 'failed' })];
    const from = async (...names: readonly string[]) => {
      const checkpoints = Object.fromEntries(names.map((name) => [name, { waited: true }]));
      const { retry } = await aService({
        end: anEnded({ nodes, checkpoints: `j${JSON.stringify(checkpoints)}` }),
      });
      return retry({ from: 'mail' });
    };
    expect(await from('other/0', 'poll/0/1/wait/0')).toMatchObject({ status: 'accepted' });
    for (const other of ['other/0', 'poll/01/0', 'other/poll/0/'])
      await expect(from(other)).rejects.toMatchObject(refused('its node "poll" was not kept'));
  });

  test('needs a checkpoint of a node whose parameters give it side effects, whatever others of its type have', async () => {
    const ofBoth = (type: string) => {
      const found = findNodeType(type === 'type-pay' ? 'type-reserve' : type);
      return found && { ...found, pure: ({ reads }: JsonObject) => reads === true };
    };
    const { retry, workflows } = await aService({
      findNodeType: ofBoth,
      end: anEnded({ nodes: [aNode('reserve'), aNode('pay', { type: 'type-reserve' })], checkpoints: 'j{}' }),
    });
    const withReader = (id: string) =>
      workflows.put(
        {
          ...definition,
          nodes: definition.nodes.map((node) => ({
            ...node,
            type: node.id === 'pay' ? 'type-reserve' : node.type,
            parameters: { reads: node.id === id },
          })),
        },
        [],
      );
    await withReader('reserve');
    await expect(retry({ from: 'mail', version: 'current' })).rejects.toMatchObject(
      refused('its node "pay" was not kept'),
    );
    await withReader('pay');
    await expect(retry({ from: 'mail', version: 'current' })).rejects.toMatchObject(
      refused('its node "reserve" was not kept'),
    );
  });

  test('is refused when no journal was kept', async () => {
    const { checkpoints: _none, ...end } = anEnded();
    const { retry } = await aService({ end });
    await expect(retry({ from: 'mail' })).rejects.toMatchObject(
      refused('the results of its steps were not kept'),
    );
  });
});

describe('no retry starts', () => {
  test.each<[string, Setting, Partial<RetryOptions>, string]>([
    ['while the old one is open', { end: null }, {}, 'it has not ended: it is accepted'],
    ['when its request was not kept', { start: { input: null } }, {}, 'its request was not kept'],
    [
      'when its request could not be run',
      { start: { input: 'xthe body is too deep' } },
      {},
      'its input cannot be run, and was not kept',
    ],
    [
      'when its version is not stored',
      { start: { workflowVersion: 9 } },
      {},
      'no recorded version of the workflow workflow',
    ],
    [
      'when the version lacks its trigger',
      { start: { trigger: { nodeId: 'gone', type: 'type-start' } } },
      {},
      'this version has no enabled trigger "gone"',
    ],
    [
      'when its trigger is none',
      { start: { trigger: { nodeId: 'pay', type: 'type-pay' } } },
      {},
      'this version has no enabled trigger "pay"',
    ],
  ])('%s', async (_when, setting, options, reason) => {
    const { retry, dispatched, store } = await aService(setting);
    await expect(retry(options)).rejects.toMatchObject(refused(reason));
    expect(dispatched).toEqual([]);
    expect(store.records()).toHaveLength(1);
  });

  test('when the version cannot be run', async () => {
    const { retry, workflows } = await aService();
    const nodes = definition.nodes.map((node) => ({ ...node, type: 'gone' }));
    await workflows.put({ ...definition, nodes }, []);
    await expect(retry({ version: 'current' })).rejects.toMatchObject(refused("workflow workflow can't run"));
  });

  test('when a plugin cannot be loaded, which may pass', async () => {
    const { retry, dispatched } = await aService({
      findNodeType: () => {
        throw new Error('no such file');
      },
    });
    await expect(retry()).rejects.toThrow('no such file');
    expect(dispatched).toEqual([]);
  });

  test('when the trigger is disabled', async () => {
    const { retry, workflows } = await aService();
    const nodes = definition.nodes.map((node) => ({ ...node, disabled: node.id === 'start' }));
    await workflows.put({ ...definition, nodes }, []);
    await expect(retry({ version: 'current' })).rejects.toMatchObject(refused('no enabled trigger "start"'));
  });

  test.each(['unknown', '', 'a/b', 'x'.repeat(65)])('for "%s", which is not an execution', async (id) => {
    const { retry } = await aService();
    await expect(retry({}, id)).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
  });

  test('when the engine refuses: the execution is withdrawn', async () => {
    const { retry, store } = await aService({
      dispatch: () => Promise.reject(new AppError(DISPATCH_REFUSED, {})),
    });
    await expect(retry()).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
    expect(store.records().map(({ executionId }) => executionId)).toEqual(['old']);
  });

  test('with an edited input, when the original is no longer stored', async () => {
    const { edit, dispatched } = await aService({ start: { input: 'bold' } });
    await expect(edit()).rejects.toMatchObject(refused('its request is no longer stored'));
    expect(dispatched).toEqual([]);
  });

  test('with an edited input, when the original cannot be read, which may pass', async () => {
    const { edit } = await aService({ start: { input: 'bold' } });
    const unavailable = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    await expect(edit(unavailable)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('when the record cannot be stored', async () => {
    const { retry, dispatched } = await aService({
      executions: { start: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) },
    });
    await expect(retry()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(dispatched).toEqual([]);
  });
});

test('a retry succeeds although that cannot be recorded on the original, and the log says so', async () => {
  const { retry, dispatched, entries } = await aService({
    executions: { markRetried: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) },
  });
  await retry();
  expect(dispatched).toEqual(['new-1 durable']);
  expect(entries).toMatchObject([{ level: 'warn', fields: { executionId: 'old' } }]);
});

describe('a retry succeeds although the dispatch seemed to fail', () => {
  const dispatch = () => Promise.reject(new AppError(DISPATCH_REFUSED, {}));

  test('when it has started', async () => {
    const { retry } = await aService({ dispatch, executions: { withdraw: async () => false } });
    expect(await retry()).toMatchObject({ executionId: 'new-1' });
  });

  test('but not when withdrawing it meets a bug', async () => {
    const withdraw = () => Promise.reject(new TypeError('a bug'));
    const { retry } = await aService({ dispatch, executions: { withdraw } });
    await expect(retry()).rejects.toThrow('a bug');
  });

  test('when it cannot be withdrawn: the next sweep dispatches it, and the log says so', async () => {
    const { retry, entries } = await aService({
      dispatch,
      executions: { withdraw: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) },
    });
    expect(await retry()).toMatchObject({ executionId: 'new-1' });
    expect(entries).toMatchObject([{ level: 'warn', fields: { executionId: 'new-1' } }]);
  });
});
