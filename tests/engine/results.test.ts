import { emit, type NodeSettings } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { nodeKeyOf } from '../../lib/engine/node-run.ts';
import { failOpenNodes, findOpenNode, type NodeRecord } from '../../lib/engine/result.ts';
import { inlineSteps, OperationLimitError, type Steps } from '../../lib/engine/steps.ts';
import { type ANode, type Behaviour, ran, runGraph } from '../support/a-run.ts';
import { stepsThatRun } from '../support/steps-that-run.ts';

const takes =
  (ms: number, output = {}): Behaviour =>
  async (_node, _input, { services }) => {
    await services.clock.sleep(ms);
    return output;
  };

describe('the output', () => {
  const nodes: Record<string, ANode> = {
    slow: { does: takes(50, { from: 'slow' }) },
    quick: { does: { from: 'quick' } },
    choose: { does: () => emit({ main: { from: 'choose' } }) },
    never: {},
    loops: {
      does: (_node, _input, { iteration }) =>
        iteration < 2 ? emit({ again: {} }) : emit({ main: { iteration } }),
    },
    after: {},
    spins: {
      does: (_node, _input, { iteration }) => (iteration < 1 ? emit({ again: {} }) : { spun: iteration }),
    },
  };
  const edges = [
    'start -> slow',
    'start -> quick',
    'start -> choose',
    'choose.other -> never',
    'start -> loops',
    'loops.again -> loops',
    'loops -> after',
    'start -> spins',
    'spins.again -> spins',
  ];

  test('of all end nodes has those that ran and none of whose successors ran, in plan order', async () => {
    const { output } = await runGraph({ nodes, edges, collectsEnds: true });
    expect(Object.entries(output)).toEqual([
      ['slow', { from: 'slow' }],
      ['quick', { from: 'quick' }],
      ['choose', { from: 'choose' }],
      ['after', { iteration: 2 }],
      ['spins', { spun: 1 }],
    ]);
  });

  test('is the output of the node that is last in plan order', async () => {
    expect((await runGraph({ nodes, edges })).output).toEqual({ spun: 1 });
    expect((await runGraph({ nodes, edges: edges.slice(0, 4) })).output).toEqual({ from: 'choose' });
  });

  test('of a trigger alone is its input', async () => {
    expect((await runGraph({ nodes: {}, edges: [], input: { a: 1 } })).output).toEqual({ a: 1 });
  });

  test('is the first output if none is "main"', async () => {
    const { output } = await runGraph({
      nodes: { splits: { does: () => emit({ left: { l: 1 }, right: { r: 1 } }) } },
      edges: ['start -> splits'],
    });
    expect(output).toEqual({ l: 1 });
  });

  test('of a failed execution is what was delivered before', async () => {
    const result = await runGraph({
      nodes: { a: { does: { a: 1 } }, b: { does: () => Promise.reject(new Error('no')) } },
      edges: ['start -> a', 'a -> b'],
    });
    expect(result).toMatchObject({ status: 'failed', output: { a: 1 }, response: null });
  });
});

describe('an execution that is aborted from outside', () => {
  const reason = Object.assign(new Error('moved to another process'), { name: 'Suspended' });

  test('starts no node', async () => {
    const result = await runGraph({ nodes: {}, edges: [], ports: { signal: AbortSignal.abort(reason) } });
    expect(result).toMatchObject({
      status: 'failed',
      nodes: [],
      failure: { nodeId: 'start', name: 'Suspended', message: 'moved to another process' },
    });
  });

  test('ends with the nodes that run, whether or not they look at their signal', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const result = await runGraph({
      nodes: {
        looks: {
          does: (_node, _input, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                seen.push(signal.reason);
                reject(signal.reason);
              });
            }),
        },
        hangs: {
          does: async (_node, _input, { services }) => {
            await services.clock.sleep(10);
            controller.abort(reason);
            return new Promise(() => {});
          },
        },
        next: {},
      },
      edges: ['start -> looks', 'start -> hangs', 'hangs -> next'],
      ports: { signal: controller.signal },
    });
    expect(result).toMatchObject({ status: 'failed', elapsedMs: 10, failure: { name: 'Suspended' } });
    expect(ran(result)).toBe('start looks hangs');
    expect(seen).toEqual([reason]);
  });
});

describe('the time of an execution', () => {
  // holds: S12
  test('that another process began counts from there', async () => {
    const nodes = { slow: { does: takes(400), settings: { timeoutSeconds: 900 } } };
    const run = (sinceMs: number) =>
      runGraph({ nodes, edges: ['start -> slow'], limits: { timeoutMs: 1_000 }, sinceMs });
    expect(await run(500)).toMatchObject({ status: 'succeeded', elapsedMs: 400 });
    expect(await run(700)).toMatchObject({
      status: 'timedOut',
      elapsedMs: 300,
      failure: {
        nodeId: 'slow',
        name: 'ExecutionTimeout',
        message: 'the execution took longer than 1000 ms',
      },
    });
  });

  test('is not up for the last node, whose result is there', async () => {
    const late = { does: takes(1_500), settings: { timeoutSeconds: 900 } };
    expect(
      await runGraph({ nodes: { late }, edges: ['start -> late'], limits: { timeoutMs: 1_500 } }),
    ).toMatchObject({ elapsedMs: 1_500 });
  });
});

describe('the limits of an output', () => {
  test('do not count for a trigger, and for a node from the byte after', async () => {
    const text = 'x'.repeat(88); // 100 bytes as {"text":"…"}, as they are measured
    const run = (input: { text: string }, does: Behaviour) =>
      runGraph({
        nodes: { a: { does } },
        edges: ['start -> a'],
        input,
        limits: { maxOutputBytes: 100 },
      });
    expect(await run({ text: text.repeat(5) }, {})).toMatchObject({ status: 'succeeded' });
    expect(await run({ text }, { text })).toMatchObject({ status: 'succeeded' });
    expect(await run({ text }, { text: `${text}x` })).toMatchObject({
      failure: { message: 'the output "main" has about 101 bytes; at most 100 are allowed' },
    });
  });
});

test('the response is passed on when it is emitted, before the end', async () => {
  const responses: unknown[] = [];
  const answers = (n: number): ANode => ({ does: () => emit({ main: {}, response: { n } }) });
  const result = await runGraph({
    nodes: { one: answers(1), two: answers(2) },
    edges: ['start -> one', 'one -> two'],
    ports: { onResponse: (response) => void responses.push(response) },
  });
  expect([responses, result.response]).toEqual([[{ n: 1 }], { n: 1 }]);
});

describe('the result of a step', () => {
  const runStep = (run: Steps['run'], settings: NodeSettings = {}) =>
    runGraph({
      nodes: { call: { pure: false, settings }, next: {} },
      edges: ['start -> call', 'call -> next'],
      steps: (clock) => stepsThatRun(inlineSteps(clock), run),
    });

  test('has the attempts of all processes, and frozen details', async () => {
    const failure = { name: 'Error', message: 'no', details: { body: { a: 1 } } };
    const { nodes } = await runStep(async () => ({ failure, attempts: 4 }));
    expect(nodes[1]).toMatchObject({ nodeId: 'call', attempts: 4, failure });
    expect(Object.isFrozen(failure.details.body)).toBe(true);
  });

  test('that the operation limit did not allow ends the execution without an attempt', async () => {
    const { status, failure, nodes } = await runStep(
      () => Promise.reject(new OperationLimitError('no more')),
      {
        onError: 'continue',
      },
    );
    expect({ status, failure }).toEqual({
      status: 'failed',
      failure: { nodeId: 'call', name: 'OperationLimit', message: 'no more' },
    });
    expect(nodes.slice(1)).toMatchObject([{ nodeId: 'call', attempts: 0, failure }]);
  });
});

test('a trigger has no inputs, only an input', async () => {
  const { output } = await runGraph({
    nodes: {
      start: {
        kind: 'trigger',
        does: (_node, input, { inputs }) => ({ input, inputs: [...inputs] as never }),
      },
    },
    edges: [],
    input: { a: 1 },
  });
  expect(output).toEqual({ input: { a: 1 }, inputs: [] });
});

describe('the records', () => {
  test('of an exhausted loop have nothing after it, not even as skipped', async () => {
    const { failure, nodes } = await runGraph({
      nodes: { spins: { does: () => emit({ again: {} }), settings: { maxIterations: 2 } }, after: {} },
      edges: ['start -> spins', 'spins.again -> spins', 'spins -> after'],
    });
    expect(failure?.name).toBe('LoopLimit');
    expect(nodes.map(({ nodeId }) => nodeId)).toEqual(['start', 'spins', 'spins']);
  });

  test('of a skipped node have nothing but its place', async () => {
    const { nodes } = await runGraph({
      nodes: { choose: { does: () => emit({}) }, never: {} },
      edges: ['start -> choose', 'choose -> never'],
    });
    expect(nodes.at(-1)).toEqual({
      nodeId: 'never',
      type: 'type-never',
      status: 'skipped',
      iteration: 0,
      attempts: 0,
      startedAt: nodes[0]?.startedAt,
      durationMs: 0,
    });
  });

  test('of a run in progress have the inner runs behind their node, and who waits', async () => {
    const seen: string[][] = [];
    await runGraph({
      nodes: {
        each: {
          control: { suspends: false, bodyOutput: 'each' },
          does: async (_node, _input, { control }) => {
            await control?.runBodies([{}, {}], 2);
            return {};
          },
        },
        inner: { does: takes(10) },
        pause: {
          control: { suspends: true },
          does: async (_node, input, { control }) => {
            await control?.wait(5);
            return input;
          },
        },
      },
      edges: ['start -> each', 'each.each -> inner', 'start -> pause'],
      ports: {
        onProgress: (snapshot) =>
          seen.push(
            snapshot().map(({ nodeId, within = '', status }) => [within, nodeId, status].join(' ').trim()),
          ),
      },
    });
    expect(seen).toContainEqual([
      'start succeeded',
      'each running',
      'each/0/0 inner running',
      'each/0/1 inner running',
      'pause waiting',
    ]);
    expect(seen.at(-1)).toEqual([
      'start succeeded',
      'each succeeded',
      'each/0/0 inner succeeded',
      'each/0/1 inner succeeded',
      'pause waiting',
    ]);
  });

  test('have the time that each node took, and its input', async () => {
    const { nodes } = await runGraph({
      nodes: { slow: { does: takes(40, { a: 1 }) }, next: { does: takes(2) } },
      edges: ['start -> slow', 'slow -> next'],
      input: { given: 1 },
    });
    const [first] = nodes;
    expect(
      nodes.map(({ nodeId, startedAt, durationMs, input }) => [
        nodeId,
        startedAt - (first?.startedAt ?? 0),
        durationMs,
        input,
      ]),
    ).toEqual([
      ['start', 0, 0, { given: 1 }],
      ['slow', 0, 40, { given: 1 }],
      ['next', 40, 2, { a: 1 }],
    ]);
  });

  const record = (change: Partial<NodeRecord>): NodeRecord => ({
    nodeId: 'a',
    type: 't',
    status: 'running',
    iteration: 0,
    attempts: 1,
    startedAt: 1_000,
    durationMs: 0,
    ...change,
  });

  test('of open nodes fail when the execution ends early', () => {
    const done = record({ status: 'succeeded', durationMs: 5 });
    const reason = Object.assign(new Error('no time'), { name: 'TimedOut' });
    const open = [record({}), record({ nodeId: 'b', status: 'waiting' }), record({ startedAt: 2_000 })];
    const failure = (nodeId: string) => ({ nodeId, name: 'TimedOut', message: 'no time' });
    expect(failOpenNodes([done, ...open], 1_500, reason)).toEqual([
      done,
      record({ status: 'failed', durationMs: 500, failure: failure('a') }),
      record({ nodeId: 'b', status: 'failed', durationMs: 500, failure: failure('b') }),
      record({ status: 'failed', startedAt: 2_000, failure: failure('a') }),
    ]);
    expect(findOpenNode([...open, done])).toBe(open[2]);
    expect(findOpenNode([done])).toBeUndefined();
  });

  test('are identified by node, iteration and inner run', () => {
    expect(nodeKeyOf({ nodeId: 'a', iteration: 2 })).toBe('a/2');
    expect(nodeKeyOf({ nodeId: 'a', iteration: 2, within: 'each/0/3' })).toBe('each/0/3/a/2');
  });
});
