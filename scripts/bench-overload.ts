import { scenarios } from '../tests/support/overload/scenarios.ts';
import { simulateOverload } from '../tests/support/overload/simulate-overload.ts';
import { printTable } from './bench/measure.ts';

const [given = '50'] = process.argv.slice(2);
const scale = Number(given);
const hours = (value: number | null): string =>
  value === null ? 'never' : value < 1 ? `${Math.round(value * 60)} min` : `${value.toFixed(1)} h`;
const count = (value: number): string => value.toLocaleString('en');

const rows: string[][] = [];
for (const { title, scenario } of scenarios) {
  const found = await simulateOverload({ ...scenario, scale });
  const failed = Object.entries(found.failed).map(([name, times]) => `${count(times)} ${name}`);
  rows.push([
    title,
    hours(found.drainedAfterHours),
    count(found.accepted),
    count(found.refused),
    count(found.succeeded),
    count(found.notBegun),
    failed.join(', ') || '0',
    count(found.uselessStarts),
    count(found.deadLetters),
    hours(found.longestWaitHours),
    `${Math.round(found.overtaken * 100)} %`,
  ]);
  const left = found.hours.map(({ notBegun, oldestHours }) => `${count(notBegun)} (${hours(oldestHours)})`);
  console.log(`${title}: not started at each hour, and the age of the oldest: ${left.join(', ') || 'none'}`);
}
printTable(
  `Overload: rates are divided by ${scale} and latencies multiplied by it; counts are scaled back`,
  [
    '',
    'drained after',
    'accepted',
    'refused',
    'succeeded',
    'not started',
    'failed',
    'wasted starts',
    'dead letters',
    'longest wait',
    'overtaken',
  ],
  rows,
);
console.log(`
Simulated on a clock that jumps: the code that accepts, dispatches, sweeps, releases and finishes is real; its stores are in
memory, Lambda is a model. "Drained" counts from the end of the overload; "overtaken" is the share of runs that started after
a run accepted a minute later, and that had waited for a minute. Whether Lambda queues durable starts over its quota or refuses them is not documented: see each row.`);
