import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { compileChain, type Link, runChain } from './chains.ts';
import { measure, printTable } from './measure.ts';

const lengths = [10, 100, 1_000, 10_000];

const kinds: [string, Link][] = [
  ['merge (hands its input on)', { type: 'merge', parameters: {} }],
  ['set, no expression', { type: 'set', parameters: { values: { a: 1 } } }],
  ['set, one plain path', { type: 'set', parameters: { values: { a: '{{ a }}' } } }],
  ['set, one JSONata expression', { type: 'set', parameters: { values: { a: '{{ a + 1 }}' } } }],
];

export const benchEngine = async (): Promise<void> => {
  const steps = inlineSteps(systemClock);
  const rows: string[][] = [];
  for (const [name, link] of kinds) {
    const row = [name];
    for (const length of lengths) {
      const plan = await compileChain(length, link);
      row.push(((await measure(() => runChain(plan, steps))) / length).toFixed(2));
    }
    rows.push(row);
  }
  printTable('Engine: µs per node, in chains of pure nodes', ['', ...lengths.map(String)], rows);
};
