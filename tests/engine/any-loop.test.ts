import { createRandom, emit } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ANode, runGraph } from '../support/a-run.ts';
import { cases } from '../support/deep.ts';
import { type ModelData, type ModelEdge, runModel } from '../support/loop-model.ts';

const SIZE = 7;
const MAX_ITERATIONS = 4;

interface World {
  readonly edges: readonly ModelEdge[];
  readonly seed: number;
  readonly latencies: readonly number[];
}

const world: fc.Arbitrary<World> = fc.record({
  edges: fc.uniqueArray(
    fc.record({
      from: fc.nat(SIZE - 1),
      to: fc.integer({ min: 1, max: SIZE - 1 }),
      output: fc.constantFrom('main', 'other'),
    }),
    { minLength: 5, maxLength: 16, selector: ({ from, to, output }) => `${from} ${output} ${to}` },
  ),
  seed: fc.nat(),
  latencies: fc.array(fc.nat(20), { minLength: SIZE, maxLength: SIZE }),
});

const idOf = (node: number): string => (node === 0 ? 'start' : `n${node}`);

/** Delivers on each of its outputs, on one, or on none, now so and now so; the later, the less. */
const act =
  (seed: number) =>
  (node: number, run: number): Readonly<Record<string, ModelData>> => {
    const random = createRandom(`${seed}/${node}/${run}`);
    const isLikely = () => random() < (node === 0 ? 1 : 0.75 - run * 0.1);
    const data = { [idOf(node)]: run, last: node };
    return { ...(isLikely() && { main: data }), ...(isLikely() && { other: data }) };
  };

const runEngine = async ({ edges, seed, latencies }: World) => {
  const inputs = new Map<number, ModelData[]>();
  const behave = (node: number): ANode => ({
    kind: node === 0 ? 'trigger' : 'action',
    settings: { maxIterations: MAX_ITERATIONS },
    does: async (_node, input, { services }) => {
      const runs = inputs.get(node) ?? [];
      inputs.set(node, [...runs, input as ModelData]);
      await services.clock.sleep(latencies[node] ?? 0);
      return emit(act(seed)(node, runs.length));
    },
  });
  const result = await runGraph({
    nodes: Object.fromEntries(latencies.map((_, node) => [idOf(node), behave(node)])),
    edges: edges.map(({ from, to, output }) => `${idOf(from)}.${output} -> ${idOf(to)}`),
  });
  return { result, inputs };
};

describe('any loop', () => {
  test('runs its nodes as often, and with the same inputs, as the rules say', async () => {
    let finished = 0;
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const expected = runModel({ ...given, maxIterations: MAX_ITERATIONS, act: act(given.seed) });
        const { result, inputs } = await runEngine(given);
        if (expected === null) {
          expect(result.failure?.name).toBe('LoopLimit');
          return;
        }
        finished++;
        expect(result.failure).toBeNull();
        for (const [node, runs] of expected) expect(inputs.get(node) ?? []).toEqual(runs);
        // The merged keys are in the same order, too: connection order.
        expect(JSON.stringify([...expected].map(([node]) => inputs.get(node) ?? []))).toBe(
          JSON.stringify([...expected.values()]),
        );
      }),
      { numRuns: cases(40, 1_000) },
    );
    expect(finished).toBeGreaterThan(cases(8, 200));
  });

  // holds: S5
  test('has a record for every iteration, run or skipped, each with its own number', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const { result } = await runEngine(given);
        const names = result.nodes.map(({ nodeId, iteration }) => `${nodeId}/${iteration}`);
        expect(new Set(names).size).toBe(names.length);
        const iterations = new Map<string, number>();
        for (const { nodeId, iteration } of result.nodes) {
          expect(iteration).toBe(iterations.get(nodeId) ?? 0);
          iterations.set(nodeId, iteration + 1);
        }
      }),
      { numRuns: cases(40, 300) },
    );
  });
});
