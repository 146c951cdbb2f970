import { emit, type NodeContext, type WorkflowNode } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { execute } from '../../lib/engine/execute.ts';
import type { EnginePorts } from '../../lib/engine/session.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aGraph, noOtherWorkflows, ran, runGraph, silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anExecutionInfo } from '../support/an-execution-info.ts';
import { stepsThatRun } from '../support/steps-that-run.ts';

const putsOutParameters = ({ parameters }: WorkflowNode) => parameters;
const takesInput = (_node: WorkflowNode, input: object) => {
  (input as Record<string, unknown>).mine = true;
  return {};
};

/** As `runGraph`, but with the clock at hand: for what happens after the end. */
const aGraphInTime = (graph: Parameters<typeof aGraph>[0]) => {
  const time = aVirtualClock();
  let passed = 0;
  /** Lets time pass without a timer. */
  const pass = (ms: number) => {
    passed += ms;
  };
  const clock = { ...time.clock, now: () => time.clock.now() + passed };
  const { definition, findNodeType } = aGraph(graph);
  const run = (timeoutMs: number, steps = inlineSteps(clock), ports: Partial<EnginePorts> = {}) =>
    execute(
      compilePlan(definition, findNodeType),
      {
        execution: anExecutionInfo(),
        input: {},
        limits: { timeoutMs, maxNodeRuns: 100, maxOutputBytes: 1_000 },
      },
      {
        services: {
          clock,
          ids: { next: () => 'id' },
          http: { request: () => Promise.reject(new Error('no network in tests')) },
        },
        logger: silent,
        steps,
        workflows: noOtherWorkflows,
        callbacks: null,
        ...ports,
      },
    );
  return { time, run, pass };
};

describe('data is passed on unchanged', () => {
  test.each<[string, Parameters<typeof runGraph>[0]['nodes'], string]>([
    ['a disabled node merged', { join: { disabled: true } }, 'join'],
    [
      'a node that failed and continues was given',
      { join: { does: () => Promise.reject(new Error('no')), settings: { onError: 'continue' } } },
      'join',
    ],
    [
      'a failed node routes',
      { join: { does: () => Promise.reject(new Error('no')), settings: { onError: 'route' } } },
      'join.error',
    ],
  ])('what %s cannot be changed by one of its receivers', async (_case, nodes, output) => {
    const result = await runGraph({
      nodes: {
        a: { does: { a: 1 } },
        b: { does: { b: 1 } },
        ...nodes,
        thief: { does: takesInput, settings: { onError: 'continue' } },
        neighbour: {},
      },
      edges: [
        'start -> a',
        'start -> b',
        'a -> join',
        'b -> join',
        `${output} -> thief`,
        `${output} -> neighbour`,
      ],
    });
    expect(result.status).toBe('succeeded');
    expect(result.nodes.find(({ nodeId }) => nodeId === 'thief')?.failure?.name).toBe('TypeError');
    expect(result.output).toMatchObject({ a: 1, b: 1 });
    expect(result.output).not.toHaveProperty('mine');
  });

  test('$nodes as a value is a snapshot', async () => {
    const result = await runGraph({
      nodes: {
        all: { parameters: { nodes: '{{ $nodes }}', run: '{{ $execution }}' }, does: putsOutParameters },
        after: {},
        last: {},
      },
      edges: ['start -> all', 'all -> after', 'after -> last'],
      input: { x: 1 },
    });
    expect(result).toMatchObject({ status: 'succeeded', output: { nodes: { start: { x: 1 } } } });
    expect(Object.keys(result.output.nodes as object)).toEqual(['start']);
  });

  test('nodes that repeatedly wrap their input do not build a value too deep to write', async () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => `n${index}`);
    const wrap = { does: (_node: WorkflowNode, input: object) => ({ inner: input }) as never };
    const result = await runGraph({
      nodes: Object.fromEntries(ids.map((id) => [id, wrap])),
      edges: ids.map((id, index) => `${index === 0 ? 'start' : ids[index - 1]} -> ${id}`),
    });
    expect(result.failure).toMatchObject({ name: 'NotJsonError', nodeId: 'n999' });
    expect(JSON.stringify(result.output).length).toBeGreaterThan(9_000);
  });
});

describe('after the end', () => {
  test('a step that waits for its next attempt is aborted when the execution times out', async () => {
    let attempts = 0;
    const { time, run } = aGraphInTime({
      nodes: {
        call: {
          pure: false,
          settings: { retry: { maxAttempts: 5, intervalSeconds: 10 } },
          does: async () => {
            attempts++;
            throw new Error('busy');
          },
        },
      },
      edges: ['start -> call'],
    });
    expect(await time.run(run(5_000))).toMatchObject({ status: 'timedOut', failure: { nodeId: 'call' } });
    expect(time.pending()).toBe(0);
    await time.run(time.clock.sleep(600_000));
    expect(attempts).toBe(1);
  });

  test('no attempt starts, even if the steps port requests one', async () => {
    let attempts = 0;
    const { time, run } = aGraphInTime({
      nodes: {
        call: {
          pure: false,
          does: () => {
            attempts++;
            return {};
          },
        },
      },
      edges: ['start -> call'],
    });
    let late: unknown;
    const steps = stepsThatRun(inlineSteps(time.clock), async ({ attempt }) => {
      await time.clock.sleep(9_000);
      const outcome = await attempt(1);
      late = outcome;
      return { ...outcome, attempts: 1 };
    });
    const result = run(5_000, steps);
    expect(await time.run(result)).toMatchObject({ status: 'timedOut' });
    await time.run(time.clock.sleep(60_000));
    expect(late).toMatchObject({ failure: { message: 'the execution ran out of time' } });
    expect(attempts).toBe(0);
  });

  test('no second attempt starts either, although its executor is loaded', async () => {
    let attempts = 0;
    const does = () => {
      attempts++;
      throw new Error('no');
    };
    const { time, run } = aGraphInTime({ nodes: { call: { pure: false, does } }, edges: ['start -> call'] });
    const outcomes: unknown[] = [];
    const steps = stepsThatRun(inlineSteps(time.clock), async ({ attempt }) => {
      outcomes.push(await attempt(1));
      await time.clock.sleep(9_000);
      const outcome = await attempt(2);
      outcomes.push(outcome);
      return { ...outcome, attempts: 2 };
    });
    expect(await time.run(run(5_000, steps))).toMatchObject({ status: 'timedOut' });
    await time.run(time.clock.sleep(60_000));
    expect(outcomes).toMatchObject([
      { failure: { message: 'no' } },
      { failure: { message: 'the execution ran out of time' } },
    ]);
    expect(attempts).toBe(1);
  });

  test('a signal that is first read after the timeout is aborted', async () => {
    const seen: boolean[] = [];
    const { time, run } = aGraphInTime({
      nodes: {
        slow: {
          settings: { timeoutSeconds: 1 },
          does: async (_node: WorkflowNode, _input: unknown, context: NodeContext) => {
            await context.services.clock.sleep(3_000);
            seen.push(context.signal.aborted);
            return {};
          },
        },
      },
      edges: ['start -> slow'],
    });
    expect(await time.run(run(60_000))).toMatchObject({
      status: 'failed',
      failure: { name: 'TimeoutError' },
    });
    await time.run(time.clock.sleep(10_000));
    expect(seen).toEqual([true]);
  });

  // holds: S4
  test('a failing steps port is a bug, and aborts the other nodes', async () => {
    const signals: AbortSignal[] = [];
    const { time, run } = aGraphInTime({
      nodes: {
        hangs: {
          does: (_node: WorkflowNode, _input: unknown, { signal }: NodeContext) => {
            signals.push(signal);
            return new Promise<never>(() => {});
          },
        },
        call: { pure: false },
      },
      edges: ['start -> hangs', 'start -> call'],
    });
    const steps = stepsThatRun(inlineSteps(time.clock), () => Promise.reject(new Error('no store')));
    const broken = run(60_000, steps);
    await expect(time.run(broken)).rejects.toThrow('no store');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(time.pending()).toBe(0);
  });
});

describe('limits', () => {
  test('no more nodes start than the node run limit leaves', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const result = await runGraph({
      nodes: Object.fromEntries(ids.map((id) => [id, {}])),
      edges: ids.map((id) => `start -> ${id}`),
      limits: { maxNodeRuns: 10 },
    });
    expect(ran(result)).toBe('start n0 n1 n2 n3 n4 n5 n6 n7 n8');
    expect(result).toMatchObject({ status: 'failed', failure: { nodeId: 'n9', name: 'NodeRunLimit' } });
  });

  test('a node cannot disguise its failure as the execution’s timeout', async () => {
    const result = await runGraph({
      nodes: {
        sly: {
          does: () => {
            throw Object.assign(new Error('no time'), { name: 'ExecutionTimeout' });
          },
        },
      },
      edges: ['start -> sly'],
    });
    expect(result.status).toBe('failed');
  });

  test('expressions are evaluated in sequence, so that none is charged for the time of another', async () => {
    const called: string[] = [];
    const node = (expression: string) => ({
      parameters: { sum: `{{ ${expression} }}` },
      does: ({ id, parameters }: WorkflowNode) => {
        called.push(id);
        return parameters;
      },
    });
    const result = await runGraph({
      nodes: {
        warm: node('$sum([1])'),
        long: node('$sum($map([1..100], function($v) { $v * 2 }))'),
        short: node('1 + 1'),
      },
      edges: ['start -> warm', 'warm -> long', 'warm -> short'],
    });
    expect(called).toEqual(['warm', 'long', 'short']);
    expect(result.output).toEqual({ sum: 2 });
  });

  test('a node that fails after using up the execution’s time does not count as failed', async () => {
    const { run, pass } = aGraphInTime({
      nodes: {
        busy: {
          does: () => {
            pass(10_000);
            throw new Error('gave up');
          },
        },
      },
      edges: ['start -> busy'],
    });
    const result = await run(9_000);
    expect(result).toMatchObject({
      status: 'timedOut',
      failure: { nodeId: 'busy', name: 'ExecutionTimeout' },
    });
    expect(result.nodes.at(-1)).toMatchObject({ status: 'failed', failure: { message: 'gave up' } });
  });
});

describe('a node that uses up the execution’s time', () => {
  const moved = Object.assign(new Error('moved to another process'), { name: 'Suspended' });
  const usesUp = ({ next = false, aborts = false, fails = false }) => {
    const controller = new AbortController();
    const { run, pass } = aGraphInTime({
      nodes: {
        busy: {
          does: () => {
            pass(10_000);
            if (aborts) controller.abort(moved);
            if (fails) throw new Error('gave up');
            return { done: true };
          },
        },
        ...(next ? { next: {} } : {}),
      },
      edges: ['start -> busy', ...(next ? ['busy -> next'] : [])],
    });
    return run(9_000, undefined, { signal: controller.signal });
  };

  test.each([
    ['succeeds as the last one', {}, 'succeeded', null],
    ['keeps the next one from starting', { next: true }, 'timedOut', 'ExecutionTimeout'],
    [
      'keeps it from starting when the execution is aborted too',
      { next: true, aborts: true },
      'timedOut',
      'ExecutionTimeout',
    ],
    ['fails as it fails when the execution is aborted too', { aborts: true, fails: true }, 'failed', 'Error'],
  ])('%s', async (_case, what, status, name) => {
    const result = await usesUp(what);
    expect([result.status, result.failure?.name ?? null]).toEqual([status, name]);
    expect(ran(result)).toBe('start busy');
  });
});

test('a node that aborts its own execution, and hangs, ends with it', async () => {
  const controller = new AbortController();
  const { time, run } = aGraphInTime({
    nodes: {
      ends: {
        does: () => {
          controller.abort(new Error('moved'));
          return new Promise<never>(() => {});
        },
      },
    },
    edges: ['start -> ends'],
  });
  const startedAt = time.clock.now();
  const result = await time.run(run(60_000, undefined, { signal: controller.signal }));
  expect(result).toMatchObject({ status: 'failed', failure: { nodeId: 'ends', message: 'moved' } });
  expect(time.clock.now()).toBe(startedAt);
});

test('a failure ends a body while a control node in it waits, in the second body too', async () => {
  const result = await runGraph({
    nodes: {
      each: {
        control: { suspends: false, bodyOutput: 'each' },
        does: async (_node, _input, { control }) => ({
          failures: ((await control?.runBodies([{}, {}])) ?? []).map((body) => 'failure' in body),
        }),
      },
      fork: {},
      waits: { control: { suspends: true }, does: () => new Promise<never>(() => {}) },
      fails: {
        does: () => {
          throw new Error('no');
        },
      },
    },
    edges: ['start -> each', 'each.each -> fork', 'fork -> waits', 'fork -> fails'],
  });
  expect(result).toMatchObject({ status: 'succeeded', elapsedMs: 0, output: { failures: [true, true] } });
});

test('a failure ends the execution while a control node waits', async () => {
  const result = await runGraph({
    nodes: {
      waits: { control: { suspends: true }, does: () => new Promise<never>(() => {}) },
      fails: {
        does: () => {
          throw new Error('no');
        },
      },
    },
    edges: ['start -> waits', 'start -> fails'],
  });
  expect(result).toMatchObject({ status: 'failed', elapsedMs: 0, failure: { nodeId: 'fails' } });
  expect(result.nodes[1]).toMatchObject({ nodeId: 'waits', status: 'failed' });
});

describe('loops', () => {
  test('data that an inner loop delivers back to the outer one is kept in later iterations', async () => {
    const result = await runGraph({
      nodes: {
        head: {},
        inner: {
          does: (_node, _input, { iteration }) =>
            iteration === 0 ? emit({ outer: { from: iteration }, again: {} }) : emit({}),
        },
      },
      edges: ['start -> head', 'head -> inner', 'inner.again -> inner', 'inner.outer -> head'],
    });
    expect(ran(result)).toBe('start head inner inner head inner');
    expect(result.status).toBe('succeeded');
  });

  test('outputs that several connections deliver back are merged in connection order', async () => {
    const inputs: object[] = [];
    await runGraph({
      nodes: {
        head: {
          does: (_node, input) => {
            inputs.push(input);
            return inputs.length === 1 ? { from: 'head' } : emit({});
          },
        },
        tail: { does: { from: 'tail' } },
      },
      edges: ['start -> head', 'head -> tail', 'tail -> head', 'head -> head'],
    });
    expect(inputs[1]).toEqual({ from: 'head' });
  });
});
