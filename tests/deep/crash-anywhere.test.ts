import { setImmediate } from 'node:timers/promises';
import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { emit, type JsonObject, type NodeContext, type NodeSettings } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDurableSteps, createStepSerdes } from '../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../lib/adapters/durable/pending-io.ts';
import { execute } from '../../lib/engine/execute.ts';
import { nodeKeyOf } from '../../lib/engine/node-run.ts';
import type { ExecutionResult } from '../../lib/engine/result.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aDurableEngine, type DurableRun } from '../support/a-durable-engine.ts';
import { type ANode, aGraph, silent } from '../support/a-run.ts';
import { anExecutionInfo } from '../support/an-execution-info.ts';
import { cases } from '../support/deep.ts';
import { inMemoryBlobs } from '../support/in-memory-blobs.ts';

type Kind = 'pure' | 'call' | 'fails' | 'flaky' | 'once' | 'wait' | 'ask' | 'each' | 'loop' | 'sub';

interface Shape {
  readonly kinds: readonly Kind[];
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

const SIZE = 5;
const GRAPHS = cases(12, 500);

const shapes: fc.Arbitrary<Shape> = fc.record({
  kinds: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom<Kind>('pure', 'call', 'call', 'call') },
      { weight: 2, arbitrary: fc.constantFrom<Kind>('fails', 'once', 'each', 'loop') },
      { weight: 1, arbitrary: fc.constantFrom<Kind>('wait', 'flaky', 'ask', 'sub') },
    ),
    { minLength: SIZE, maxLength: SIZE },
  ),
  edges: fc.uniqueArray(
    fc
      .record({ from: fc.nat(SIZE - 1), to: fc.integer({ min: 1, max: SIZE }) })
      .filter(({ from, to }) => from < to),
    { minLength: SIZE, maxLength: 9, selector: ({ from, to }) => `${from} ${to}` },
  ),
});

const idOf = (index: number): string => (index === 0 ? 'start' : `n${index}`);

/** Attempts of each step, and whether one began although the step had a checkpoint. */
interface Effects {
  readonly begun: Map<string, number>;
  readonly repeated: string[];
}

/** A step of unknown duration, whose process may crash before and after its effect. */
const aStep =
  (
    effects: Effects,
    pass: () => Promise<void>,
    isRemembered: (name: string) => boolean,
    fails: (attempt: number) => boolean,
  ) =>
  async (
    _node: unknown,
    input: JsonObject,
    { idempotencyKey, attempt }: NodeContext,
  ): Promise<JsonObject> => {
    const name = idempotencyKey.slice('e-1/'.length);
    if (isRemembered(name)) effects.repeated.push(name);
    effects.begun.set(name, (effects.begun.get(name) ?? 0) + 1);
    for (let turns = Math.floor(Math.random() * 4); turns > 0; turns--) await setImmediate();
    await pass();
    if (fails(attempt)) throw new Error(`${name} fails`);
    const output = { ...input, [name]: attempt };
    await pass();
    return output;
  };

const never = () => false;

const toNodes = (
  { kinds }: Shape,
  effects: Effects,
  pass: () => Promise<void>,
  isRemembered: (name: string) => boolean,
): Record<string, ANode> => {
  const step = (fails: (attempt: number) => boolean, settings: NodeSettings = {}): ANode => ({
    pure: false,
    does: aStep(effects, pass, isRemembered, fails),
    settings,
  });
  const waits: ANode = {
    control: { suspends: true },
    does: async (_node, input, { control }) => {
      await control?.wait(60);
      return input;
    },
  };
  const toNode = (kind: Kind, id: string): Record<string, ANode> => {
    switch (kind) {
      case 'pure':
        return { [id]: { does: (_node, input, { services }) => ({ ...input, [id]: services.ids.next() }) } };
      case 'call':
        return { [id]: step(never) };
      case 'once':
        return { [id]: step(never, { atMostOnce: true, onError: 'continue' }) };
      case 'fails':
        return { [id]: step(() => true, { onError: 'route' }) };
      case 'flaky':
        return { [id]: step((attempt) => attempt < 2, { retry: { maxAttempts: 3 } }) };
      case 'wait':
        return { [id]: waits };
      case 'ask':
        return {
          [id]: {
            control: { suspends: true },
            does: async (_node, input, { control }) => {
              const callback = await control?.openCallback(600);
              return { ...input, [id]: (await callback?.answer())?.value ?? null };
            },
          },
        };
      case 'loop':
        return {
          [id]: step(never),
          [`${id}w`]: waits,
          [`${id}l`]: {
            does: (_node, input, { iteration }) => emit({ [iteration < 1 ? 'again' : 'main']: input }),
          },
        };
      case 'sub':
        return {
          [id]: {
            control: { suspends: false },
            does: async (_node, input, { control }) => {
              const result = await control?.runWorkflow('other', { [id]: 1 });
              return { ...input, [id]: result !== undefined && 'output' in result ? result.output : null };
            },
          },
        };
      case 'each':
        return {
          [id]: {
            control: { suspends: false, bodyOutput: 'each' },
            does: async (_node, input, { control }) => {
              const results = (await control?.runBodies([{ item: 1 }, { item: 2 }], 2)) ?? [];
              return { ...input, [id]: results.map((result) => ('output' in result ? result.output : null)) };
            },
          },
          [`${id}b`]: step(never),
          [`${id}w`]: waits,
          [`${id}c`]: step((attempt) => attempt < 2, { retry: { maxAttempts: 3 } }),
        };
    }
  };
  return Object.assign({}, ...kinds.map((kind, at) => toNode(kind, idOf(at + 1))));
};

/** @param crashAt - the point at which the process ends; all others pass */
const runShape = async (shape: Shape, crashAt: number) => {
  const effects: Effects = { begun: new Map(), repeated: [] };
  let points = 0;
  let crashes = 0;
  const engine = aDurableEngine({
    answer: () => ({ decision: 'approve' }),
    saboteur: {
      isFatal: () => {
        const isFatal = points++ === crashAt;
        if (isFatal) crashes++;
        return isFatal;
      },
    },
    createHandler: (client, pass) => {
      const isRemembered = (name: string): boolean =>
        [...engine.state().operations.values()].some(
          (operation) => operation.Name === name && operation.Status === 'SUCCEEDED',
        );
      const { definition, findNodeType } = aGraph({
        nodes: toNodes(shape, effects, pass, isRemembered),
        edges: [
          ...shape.edges.map(({ from, to }) => `${endOf(shape, from)} -> ${idOf(to)}`),
          ...shape.kinds.flatMap((kind, at) => innerEdges(kind, idOf(at + 1))),
        ],
      });
      const inner = aGraph({
        nodes: { work: { pure: false, does: aStep(effects, pass, isRemembered, never) } },
        edges: ['start -> work'],
      });
      const nodes = inner.definition.nodes.map((node) =>
        node.id === 'start' ? { ...node, type: 'manualTrigger' } : node,
      );
      const other = compilePlan({ ...inner.definition, nodes }, (type) =>
        inner.findNodeType(type === 'manualTrigger' ? 'type-start' : type),
      );
      return withDurableExecution(
        (_input: unknown, context) =>
          execute(
            compilePlan(definition, findNodeType),
            {
              execution: anExecutionInfo('2026-01-01'),
              input: {},
              limits: { timeoutMs: 1e15, maxNodeRuns: 1_000, maxOutputBytes: 1_000_000 },
            },
            {
              services: {
                // No timers: those of a crashed process would outlive it.
                clock: { now: () => Date.now(), sleep: () => new Promise(() => {}) },
                ids: { next: () => `never the same ${Math.random()}` },
                http: { request: () => Promise.reject(new Error('no network in tests')) },
              },
              logger: silent,
              steps: createDurableSteps(context, createStepSerdes('e-1', inMemoryBlobs(), createPendingIo())),
              workflows: { findVersion: async () => 1, loadPlan: async () => other },
              callbacks: { open: async () => 0, urlOf: (name) => name },
            },
          ),
        { durableExecutionClient: client },
      );
    },
  });
  const run = await engine.run();
  return { run, effects, points, crashes };
};

const innerEdges = (kind: Kind, id: string): string[] => {
  if (kind === 'each') return [`${id}.each -> ${id}b`, `${id}b -> ${id}w`, `${id}w -> ${id}c`];
  if (kind === 'loop') return [`${id} -> ${id}w`, `${id}w -> ${id}l`, `${id}l.again -> ${id}`];
  return [];
};

/** The node that the edges of a shape leave from. */
const endOf = ({ kinds }: Shape, index: number): string =>
  kinds[index - 1] === 'loop' ? `${idOf(index)}l` : idOf(index);

const withoutTimes = ({ result }: DurableRun) => {
  const { nodes, ...others } = result as ExecutionResult;
  return {
    ...others,
    nodes: nodes
      .map(
        ({
          startedAt: _startedAt,
          durationMs: _durationMs,
          attemptTimes: _attemptTimes,
          waits: _waits,
          ...record
        }) => record,
      )
      .toSorted((a, b) => nodeKeyOf(a).localeCompare(nodeKeyOf(b))),
  };
};

const maxBegun: Record<Kind, number> = {
  pure: 0,
  call: 2,
  fails: 2,
  flaky: 3,
  once: 1,
  loop: 2,
  wait: 0,
  ask: 0,
  each: 0,
  sub: 0,
};

describe('a durable run', () => {
  // holds: survives-a-kill, finished-steps-stay, at-most-once
  test('has the same result wherever its process crashes', async () => {
    let total = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const undisturbed = await runShape(shape, -1);
        expect(undisturbed.run.status).toBe('succeeded');
        // Side by side: most of the time they wait.
        const disturbed = await Promise.all(
          Array.from({ length: undisturbed.points }, (_, crashAt) => runShape(shape, crashAt)),
        );
        for (const { run, effects, crashes } of disturbed) {
          total++;
          expect(effects.repeated).toEqual([]);
          shape.kinds.forEach((kind, at) => {
            expect(effects.begun.get(`${idOf(at + 1)}/0`) ?? 0).toBeLessThanOrEqual(maxBegun[kind]);
          });
          // An at-most-once step was done or was not: the run fails with an error that says so.
          const isAmbiguous = shape.kinds.includes('once') && crashes > 0;
          if (!isAmbiguous) expect(withoutTimes(run)).toEqual(withoutTimes(undisturbed.run));
          else expect(run.status).toBe('succeeded');
        }
      }),
      { numRuns: GRAPHS },
    );
    expect(total).toBeGreaterThan(2 * GRAPHS);
  });
});
