import { emit, type NodeContext } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nodeKeyOf } from '../../lib/engine/node-run.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { type ANode, aGraph, type Behaviour, ran, runGraph } from '../support/a-run.ts';
import { cases } from '../support/deep.ts';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly output: 'main' | 'other';
}

interface Graph {
  readonly edges: readonly Edge[];
  /** Per node: what it does. */
  readonly kinds: readonly ('pass' | 'branch' | 'fail' | 'off')[];
  /** Per node: how long it takes, in one world and in another. */
  readonly latencies: readonly [number, number][];
}

const SIZE = 9;

const graph = (direction: 'forward' | 'any'): fc.Arbitrary<Graph> =>
  fc.record({
    edges: fc.uniqueArray(
      fc
        .record({
          from: fc.oneof(
            { weight: 3, arbitrary: fc.nat(SIZE - 1) },
            { weight: 1, arbitrary: fc.constant(0) },
          ),
          to: fc.integer({ min: 1, max: SIZE - 1 }), // nothing leads into the trigger
          output: fc.constantFrom('main', 'other') as fc.Arbitrary<Edge['output']>,
        })
        .filter(({ from, to }) => direction === 'any' || from < to),
      { minLength: 8, maxLength: 24, selector: ({ from, to, output }) => `${from} ${output} ${to}` },
    ),
    kinds: fc.array(fc.constantFrom('pass', 'pass', 'branch', 'fail', 'off'), {
      minLength: SIZE,
      maxLength: SIZE,
    }),
    latencies: fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: SIZE, maxLength: SIZE }),
  }) as fc.Arbitrary<Graph>;

const idOf = (index: number): string => (index === 0 ? 'start' : `n${index}`);

/** The names of the nodes that the data went through; a branching node goes by how many those are. */
const trail = (input: object): string[] => Object.keys(input).sort();

const behave =
  (index: number, kind: Graph['kinds'][number], latency: number): Behaviour =>
  async (_node, input, { services, iteration }: NodeContext) => {
    if (latency > 0) await services.clock.sleep(latency);
    const output = { ...input, [idOf(index)]: iteration };
    if (kind === 'fail') throw new Error(`${idOf(index)} fails`);
    if (kind === 'branch')
      return trail(input).length % 2 === 0 ? emit({ main: output }) : emit({ other: output });
    return output;
  };

const run = ({ edges, kinds, latencies }: Graph, world: 0 | 1) =>
  runGraph({
    nodes: Object.fromEntries(
      kinds.slice(1).map((kind, at): [string, ANode] => {
        const index = at + 1;
        return [
          idOf(index),
          {
            does: behave(index, kind, latencies[index]?.[world] ?? 0),
            disabled: kind === 'off',
            pure: index % 2 === 0,
            settings: { onError: index % 3 === 0 ? 'fail' : 'continue', maxIterations: 5 },
          },
        ];
      }),
    ),
    edges: edges.map(({ from, to, output }) => `${idOf(from)}.${output} -> ${idOf(to)}`),
  });

const withoutTimes = ({ nodes, elapsedMs: _elapsed, ...result }: Awaited<ReturnType<typeof run>>) => ({
  ...result,
  nodes: nodes
    .map(({ startedAt: _startedAt, durationMs: _durationMs, ...record }) => record)
    .toSorted((a, b) => nodeKeyOf(a).localeCompare(nodeKeyOf(b))),
});

/** The rules again, in the plainest way there is: nodes in order, each looks back at what led to it. */
const expected = ({ edges, kinds }: Graph) => {
  const outputs: (Record<string, object> | null)[] = [{ main: {} }];
  const reached = [true];
  for (let index = 1; index < SIZE; index++) {
    const incoming = edges.filter(({ to, from }) => to === index && reached[from]);
    reached[index] = incoming.length > 0;
    const delivered = incoming.flatMap(({ from, output }) => {
      const data = outputs[from]?.[output];
      return data === undefined ? [] : [data];
    });
    if (delivered.length === 0) {
      outputs[index] = null;
      continue;
    }
    const input = Object.assign({}, ...delivered);
    const output = { ...input, [idOf(index)]: 0 };
    const kind = kinds[index];
    if (kind === 'fail' && index % 3 === 0) return null; // the execution fails
    if (kind === 'fail') outputs[index] = { main: { ...input, error: {} } };
    else if (kind === 'off') outputs[index] = { main: input };
    else if (kind === 'branch')
      outputs[index] = trail(input).length % 2 === 0 ? { main: output } : { other: output };
    else outputs[index] = { main: output };
  }
  return outputs.flatMap((output, index) => (output === null ? [] : [idOf(index)]));
};

describe('any graph', () => {
  // holds: S1
  test('without loops follows the rules, runs each node once, and never before its predecessors', async () => {
    await fc.assert(
      fc.asyncProperty(graph('forward'), async (shape) => {
        const result = await run(shape, 0);
        const order = ran(result).split(' ');
        expect(new Set(order).size).toBe(order.length);
        for (const { from, to } of shape.edges) {
          const [source, target] = [order.indexOf(idOf(from)), order.indexOf(idOf(to))];
          if (source !== -1 && target !== -1) expect(source).toBeLessThan(target);
        }
        const should = expected(shape);
        if (should === null) expect(result.status).toBe('failed');
        else expect([...order].sort()).toEqual(should.sort());
      }),
      { numRuns: cases(50, 500) },
    );
  });

  // holds: S1
  test('with loops ends, and every node runs once, or once per iteration of its loop', async () => {
    await fc.assert(
      fc.asyncProperty(graph('any'), async (shape) => {
        const result = await run(shape, 0);
        const { definition, findNodeType } = aGraph({
          nodes: Object.fromEntries(shape.kinds.slice(1).map((_, at) => [idOf(at + 1), {}])),
          edges: shape.edges.map(({ from, to, output }) => `${idOf(from)}.${output} -> ${idOf(to)}`),
        });
        const { loopOf, loops } = compilePlan(definition, findNodeType).routeFrom('start');
        const depthOf = (loop: number): number => (loop === -1 ? 0 : 1 + depthOf(loops[loop]?.parent ?? -1));
        const runs = new Map<string, number>();
        for (const id of ran(result).split(' ')) runs.set(id, (runs.get(id) ?? 0) + 1);
        for (const [id, count] of runs) {
          const depth = depthOf(loopOf[id === 'start' ? 0 : Number(id.slice(1))] ?? -1);
          expect(count).toBeLessThanOrEqual(5 ** depth);
        }
      }),
      { numRuns: cases(50, 500) },
    );
  });

  // holds: S2
  test('has a result that does not depend on which node was faster', async () => {
    await fc.assert(
      fc.asyncProperty(graph('any'), async (shape) => {
        const [one, other] = [await run(shape, 0), await run(shape, 1)];
        // Of a run that fails, the others may or may not have ended by then.
        if (one.status === 'failed') expect(other.status).toBe('failed');
        else expect(withoutTimes(other)).toEqual(withoutTimes(one));
      }),
      { numRuns: cases(50, 500) },
    );
  });

  test('never runs skipped nodes in that iteration, and delivers from successful ones', async () => {
    await fc.assert(
      fc.asyncProperty(graph('forward'), async (shape) => {
        const { nodes, status } = await run(shape, 0);
        const skipped = nodes.filter((node) => node.status === 'skipped').map(({ nodeId }) => nodeId);
        const others = nodes.filter((node) => node.status !== 'skipped').map(({ nodeId }) => nodeId);
        expect(skipped.filter((id) => others.includes(id))).toEqual([]);
        if (status !== 'succeeded') return;
        for (const { from, to, output } of shape.edges) {
          const isPlain = shape.kinds[from] === 'pass' && output === 'main';
          if (isPlain && others.includes(idOf(from))) expect(others).toContain(idOf(to));
        }
      }),
      { numRuns: cases(50, 300) },
    );
  });
});
