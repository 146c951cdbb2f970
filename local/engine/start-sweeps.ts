import { randomUUID } from 'node:crypto';
import type { Invoke } from './local-engine.ts';

interface Sweeps {
  /** Failures are logged until then. */
  readonly stop: () => void;
}

/** Milliseconds. When deployed, five minutes, one minute for held executions, and 15 minutes. */
const INTERVALS: readonly (readonly [string, number])[] = [
  ['sweep', 30_000],
  ['sweepRegistrations', 300_000],
];

/** Invokes the sweepers at intervals, as their schedules in serverless.yml do. */
export const startSweeps = (invoke: Invoke, log: (line: string) => void): Sweeps => {
  let isStopped = false;
  const start = (name: string): void => {
    invoke(name, { event: { source: 'aws.events' }, requestId: randomUUID() }, name).catch(
      (error: Error) => isStopped || log(`${name}: ${error.message}`),
    );
  };
  const timers = INTERVALS.map(([name, intervalMs]) => setInterval(() => start(name), intervalMs).unref());
  return {
    stop: () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
};
