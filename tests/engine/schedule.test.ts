import { emit, type NodeContext } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ANode, runGraph } from '../support/a-run.ts';
import { cases } from '../support/deep.ts';

/** A node that takes its time, on the virtual clock. */
const taking = (ms: number, more: ANode = {}): ANode => ({
  does: async (_node, input, { services }: NodeContext) => {
    await services.clock.sleep(ms);
    return input;
  },
  ...more,
});

describe('a node starts when its own connections are settled', () => {
  test('uneven branches take as long as the longest path', async () => {
    const { elapsedMs } = await runGraph({
      nodes: { a1: taking(1_000), a2: taking(1_000), b1: taking(0), b2: taking(2_000), end: {} },
      edges: ['start -> a1', 'a1 -> a2', 'start -> b1', 'b1 -> b2', 'a2 -> end', 'b2 -> end'],
    });
    expect(elapsedMs).toBe(2_000);
  });

  // holds: S1
  test('any graph takes exactly its critical path', async () => {
    const SIZE = 8;
    const shapes = fc.record({
      edges: fc.array(fc.tuple(fc.nat(SIZE - 2), fc.nat(SIZE - 2)), { maxLength: 16 }),
      times: fc.array(fc.nat(50), { minLength: SIZE, maxLength: SIZE }),
      pure: fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ edges, times, pure }) => {
        const forward = edges.map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
        const ids = times.map((_, index) => (index === 0 ? 'start' : `n${index}`));
        const { elapsedMs } = await runGraph({
          nodes: Object.fromEntries(
            ids.slice(1).map((id, at) => [id, taking(times[at + 1] ?? 0, { pure: pure[at + 1] ?? true })]),
          ),
          edges: forward.map(([from, to]) => `${ids[from]} -> ${ids[to]}`),
        });
        const ends: (number | null)[] = [0];
        for (let index = 1; index < SIZE; index++) {
          const before = forward.flatMap(([from, to]) => (to === index ? [ends[from] ?? null] : []));
          const reached = before.filter((end) => end !== null);
          ends[index] = reached.length === 0 ? null : Math.max(...reached) + (times[index] ?? 0);
        }
        expect(elapsedMs).toBe(Math.max(...ends.map((end) => end ?? 0)));
      }),
      { numRuns: cases(50, 500) },
    );
  });
});

describe('an expression sees the same regardless of timing:', () => {
  const show = (text: string): ANode => ({
    parameters: { seen: text },
    does: ({ parameters }) => parameters,
  });

  // holds: S7
  test('of other branches, nothing', async () => {
    const result = await runGraph({
      nodes: { quick: { does: () => ({ n: 1 }) }, slow: taking(50), late: show('{{ $nodes.quick.n }}') },
      edges: ['start -> quick', 'start -> slow', 'slow -> late'],
    });
    expect(result.nodes.find(({ nodeId }) => nodeId === 'late')?.outputs).toEqual({ main: {} });
  });

  test('of ancestors, at any distance, their output', async () => {
    const result = await runGraph({
      nodes: { first: { does: () => ({ n: 1 }) }, slow: taking(50), last: show('{{ $nodes.first.n }}') },
      edges: ['start -> first', 'first -> slow', 'slow -> last'],
    });
    expect(result.output).toEqual({ seen: 1 });
  });

  test('of ancestors that were skipped, nothing', async () => {
    const result = await runGraph({
      nodes: { choose: { does: () => emit({ left: {} }) }, right: {}, last: show('{{ $keys($nodes) }}') },
      edges: ['start -> choose', 'choose.right -> right', 'right -> last', 'choose.left -> last'],
    });
    expect(result.output).toEqual({ seen: ['start', 'choose'] });
  });

  test('of the trigger and of ancestors, their output, in a body too', async () => {
    const seen = show('{{ $string($trigger) & $string($nodes.before) }}');
    const result = await runGraph({
      nodes: {
        before: { does: { b: 1 } },
        each: {
          control: { suspends: false, bodyOutput: 'each' },
          does: async (_node, _input, { control }) => {
            await control?.runBodies([{ item: 1 }]);
            return {};
          },
        },
        inner: {},
        body: seen,
        last: seen,
      },
      edges: ['start -> before', 'before -> each', 'each.each -> inner', 'inner -> body', 'each -> last'],
      input: { t: 1 },
    });
    expect(result.nodes.filter(({ nodeId }) => ['body', 'last'].includes(nodeId))).toMatchObject(
      Array(2).fill({ outputs: { main: { seen: '{"t":1}{"b":1}' } } }),
    );
  });

  test('of chance, the same on every replay, and not what another node or execution sees', async () => {
    const run = async (executionId: string) => {
      const { nodes } = await runGraph({
        nodes: { a: show('{{ $random() }}'), b: show('{{ $random() }}') },
        edges: ['start -> a', 'a -> b'],
        executionId,
      });
      return nodes.slice(1).map(({ outputs }) => JSON.stringify(outputs));
    };
    const first = await run('e-1');
    expect(await run('e-1')).toEqual(first);
    expect(new Set([...first, ...(await run('e-2'))]).size).toBe(4);
  });

  test.each([
    ['at once', null],
    ['in 0 ms', 0],
    ['in 50 ms', 50],
  ])('of concurrent nodes in a loop that are done %s, the previous iteration', async (_case, ms) => {
    const result = await runGraph({
      nodes: {
        before: {
          does: (_node, input, { iteration }) => emit({ [iteration < 2 ? 'again' : 'main']: input }),
        },
        head: { does: (_node, input) => ({ n: Number(input.n ?? 0) + 1 }) },
        other: ms === null ? {} : taking(ms),
        reads: show('{{ $nodes.other.n }}'),
        after: {
          does: (_node, input, { iteration }) => emit({ [iteration < 1 ? 'again' : 'main']: input }),
        },
        readsTwice: {
          parameters: { seen: '{{ $nodes.other.n }}' },
          does: ({ parameters }, _input, { iteration }) =>
            emit({ [iteration % 2 === 0 ? 'again' : 'main']: parameters }),
        },
        join: {
          does: (_node, input) => emit({ [Number(input.n) < 3 ? 'again' : 'main']: input }),
        },
      },
      edges: [
        'start -> before',
        'before.again -> before',
        'before -> head',
        'head -> other',
        'head -> reads',
        'head -> readsTwice',
        'readsTwice.again -> readsTwice',
        'other -> join',
        'reads -> join',
        'readsTwice -> join',
        'join.again -> head',
        'join -> after',
        'after.again -> after',
      ],
    });
    const seenBy = (node: string) =>
      result.nodes.flatMap(({ nodeId, outputs }) =>
        nodeId === node ? Object.values(outputs as Record<string, { seen?: number }>) : [],
      );
    expect(seenBy('reads')).toEqual([{}, { seen: 1 }, { seen: 2 }]);
    expect(seenBy('readsTwice')).toEqual([{}, {}, { seen: 1 }, { seen: 1 }, { seen: 2 }, { seen: 2 }]);
  });
});

test('a node that fails for good ends the run at once, whatever is waiting', async () => {
  const result = await runGraph({
    nodes: {
      waits: taking(1_000_000, { settings: { timeoutSeconds: 800 } }),
      fails: {
        does: async (_node, _input, { services }: NodeContext) => {
          await services.clock.sleep(10);
          throw new Error('closed');
        },
      },
      never: {},
    },
    edges: ['start -> waits', 'start -> fails', 'fails -> never'],
  });
  expect(result.elapsedMs).toBe(10);
  expect(result.nodes.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual([
    'start succeeded',
    'waits failed',
    'fails failed',
  ]);
});

test('the last node in plan order without a successor that ran gives the output', async () => {
  const result = await runGraph({
    nodes: {
      a: taking(50),
      b: { does: () => ({ from: 'b' }) },
      c: taking(0),
      d: { does: () => ({ from: 'd' }) },
    },
    edges: ['start -> a', 'start -> c', 'c -> d', 'a -> b'],
  });
  expect(result.output).toEqual({ from: 'd' });
});

test('work outside steps is tracked: pure nodes that take time, but no waits', async () => {
  let open = 0;
  const most: number[] = [];
  const track = async <Value>(work: Promise<Value>): Promise<Value> => {
    most.push(++open);
    return work.finally(() => open--);
  };
  await runGraph({
    nodes: {
      pause: {
        control: { suspends: true },
        does: async (_node, input, { control }) => {
          await control?.wait(60);
          expect(open).toBe(0);
          return input;
        },
      },
      slow: taking(50),
    },
    edges: ['start -> pause', 'start -> slow'],
    ports: { track },
  });
  expect(most.length).toBeGreaterThan(0);
  expect(open).toBe(0);
});
