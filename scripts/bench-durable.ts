import { type DurableExecutionClient, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { applyUpdates, createDurableState, visibleOperations } from 'lambda-stage/engine';
import { createDurableSteps, createStepSerdes } from '../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../lib/adapters/durable/pending-io.ts';
import { systemClock } from '../lib/adapters/runtime/system-clock.ts';
import { inlineSteps } from '../lib/engine/steps.ts';
import type { Plan } from '../lib/workflows/plan/plan.ts';
import { compileChain, type Link, runChain } from './bench/chains.ts';
import { measure, printMachine, printTable } from './bench/measure.ts';
import { payloadBytes } from './bench/units/count-units.ts';
import { countTransitions } from './cost/compute-cost.ts';
import { formatMillion } from './cost/cost-tables.ts';
import { priceOf } from './cost/prices.ts';

const chains: readonly (readonly [title: string, length: number, link: Link])[] = [
  ['50 pure nodes', 50, { type: 'set', parameters: { values: { a: '{{ a }}' } } }],
  ['10 effectful nodes', 10, { type: 'httpRequest', parameters: { url: 'https://example.com/' } }],
];

/** Runs a plan on an in-memory durable engine and returns what AWS would bill. */
const runDurably = async (plan: Plan) => {
  const now = Date.now();
  let state = createDurableState('{"executionId":"bench"}', now);
  let bytes = 0;
  let calls = 0;
  const client: DurableExecutionClient = {
    getExecutionState: async () => ({ Operations: [] }),
    checkpoint: async ({ Updates = [] }) => {
      calls++;
      bytes += payloadBytes(Updates);
      const before = state;
      state = applyUpdates(state, Updates, now, () => 'callback');
      const changed = [...state.operations.values()].filter(
        (one) => before.operations.get(one.Id ?? '') !== one,
      );
      return { CheckpointToken: 'token', NewExecutionState: { Operations: changed } };
    },
  };
  const blobs = { put: () => Promise.reject(new Error('unused')), get: async () => null };
  const handler = withDurableExecution(
    async (_input: unknown, context) => {
      await runChain(plan, createDurableSteps(context, createStepSerdes('bench', blobs, createPendingIo())));
    },
    { durableExecutionClient: client },
  );
  const output = await handler(
    {
      DurableExecutionArn: 'arn:aws:lambda:local:0:function:bench:1/durable-execution/bench/1',
      CheckpointToken: 'token',
      InitialExecutionState: { Operations: visibleOperations(state) },
    },
    { awsRequestId: 'bench', getRemainingTimeInMillis: () => 900_000 } as never,
  );
  if (output.Status !== 'SUCCEEDED') throw new Error(JSON.stringify(output));
  return { operations: state.operations.size - 1, bytes, calls };
};

const benchDurable = async (): Promise<void> => {
  const rows: string[][] = [];
  for (const [title, length, link] of chains) {
    const plan = await compileChain(length, link);
    const { operations, bytes, calls } = await runDurably(plan);
    const times = await measure([() => runChain(plan, inlineSteps(systemClock)), () => runDurably(plan)]);
    const perNode = times.map(({ median }) => (median / length).toFixed(1));
    const transitions = countTransitions(length);
    const cost = priceOf('durableOperation', operations) + priceOf('durableGigabyte', bytes / 1e9);
    rows.push([
      title,
      String(operations),
      String(calls),
      String(bytes),
      ...perNode,
      formatMillion(cost),
      String(transitions),
      formatMillion(priceOf('transition', transitions)),
    ]);
  }
  printTable(
    'Durable runs: cost of one run of a chain, without its start and end',
    [
      'chain of',
      'durable operations',
      'checkpoint calls',
      'bytes written',
      'CPU µs/node inline',
      'CPU µs/node durable, in memory',
      '$ per million runs',
      'Step Functions transitions',
      '$ per million, Standard',
    ],
    rows,
  );
};

printMachine(); // operations and bytes are the same everywhere
await benchDurable();
console.log(
  'Prices: list, us-east-1, of durable operations and of what they write; without Lambda itself, which both need.',
);
