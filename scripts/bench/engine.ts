import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { compileChain, type Link, runChain } from './chains.ts';
import { measure, printTable } from './measure.ts';

const lengths = [10, 100, 1_000, 10_000];

const kinds: [string, Link][] = [
  ['merge (passes its input on)', { type: 'merge', parameters: {} }],
  ['set, no expression', { type: 'set', parameters: { values: { a: 1 } } }],
  ['set, one plain path', { type: 'set', parameters: { values: { a: '{{ a }}' } } }],
  ['set, one simple expression', { type: 'set', parameters: { values: { a: '{{ a + 1 }}' } } }],
  ['set, one JSONata expression', { type: 'set', parameters: { values: { a: '{{ $sum([a, 1]) }}' } } }],
];

export const benchEngine = async (): Promise<void> => {
  const steps = inlineSteps(systemClock);
  const chains = await Promise.all(
    kinds.flatMap(([, link]) => lengths.map((length) => compileChain(length, link))),
  );
  const figures = await measure(chains.map((plan) => () => runChain(plan, steps)));
  const rows = kinds.map(([name], kind) => [
    name,
    ...lengths.map((length, at) => {
      const { median = Number.NaN } = figures[kind * lengths.length + at] ?? {};
      return (median / length).toFixed(2);
    }),
  ]);
  printTable('Engine: CPU µs per node, in chains of pure nodes', ['', ...lengths.map(String)], rows);
};
