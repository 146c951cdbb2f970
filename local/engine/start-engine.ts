import { randomUUID } from 'node:crypto';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import type { InternalServer } from '../net/listen.ts';
import type { Invocation, ProcessPool } from '../pool/process-pool.ts';
import { createAsyncInvocations } from './async-invocations.ts';
import { startEngineServer } from './engine-server.ts';
import { type Invoke, LocalEngine } from './local-engine.ts';
import { openStateStore } from './state-store.ts';

interface StartedEngine extends InternalServer {
  /** Resumes what a previous engine left open. Call it when nothing else has to start quickly. */
  readonly resume: () => void;
}

/**
 * Starts the local engine for background runs: its API, its table, the schedules of the sweepers. When stopped, it
 * stores the results of running invocations and leaves the pool to its owner.
 */
export const startEngine = async (
  dynamodbEndpoint: string,
  tablePrefix: string,
  pool: Pick<ProcessPool, 'invoke'>,
  log: (line: string) => void,
): Promise<StartedEngine> => {
  const client = createSdk(dynamodbEndpoint);
  const store = await openStateStore(client, `${tablePrefix}-local-durable`);
  const invoke = createInvoke(pool, log);
  const engine = new LocalEngine({ store, invoke, log });
  const invocations = createAsyncInvocations({ store, invoke, log });
  const resumeRuns = await engine.load();
  const resumeInvocations = await invocations.load();
  const sweeps = startSweeps(invoke, log);
  const server = await startEngineServer({
    engine,
    invocations,
    invoke: (functionKey, event, _context, onLog) =>
      pool.invoke({ functionKey, event, requestId: randomUUID(), onLog }),
  });

  return {
    endpoint: server.endpoint,
    resume: () => {
      resumeRuns();
      resumeInvocations();
    },
    stop: async () => {
      sweeps.stop();
      invocations.close();
      const closed = engine.close();
      await server.stop();
      await closed;
      client.destroy();
    },
  };
};

/**
 * How often each sweep runs, in milliseconds, and what its event has. When deployed, the intervals are five minutes, one minute
 * for held executions, a day for values of state, and 15 minutes.
 */
const INTERVALS: readonly (readonly [string, number, object?])[] = [
  ['sweep', 30_000],
  ['sweep', 3_600_000, { only: 'values' }],
  ['retryExecutions', 30_000],
  ['sweepRegistrations', 300_000],
];

/** Invokes the sweepers at intervals, as their schedules in serverless.yml do. */
export const startSweeps = (invoke: Invoke, log: (line: string) => void) => {
  let isStopped = false;
  const start = (name: string, only: object): void => {
    invoke(name, { event: { source: 'aws.events', ...only }, requestId: randomUUID() }, name).catch(
      (error: Error) => isStopped || log(`${name}: ${error.message}`),
    );
  };
  const timers = INTERVALS.map(([name, intervalMs, only = {}]) =>
    setInterval(() => start(name, only), intervalMs).unref(),
  );
  return {
    stop: () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
};

/** Invokes the functions for background runs in a pool, and logs the process of each run. */
export const createInvoke =
  (pool: Pick<ProcessPool, 'invoke'>, log: (line: string) => void): Invoke =>
  (functionKey, invocation, label) => {
    const given = invocation as Pick<Invocation, 'event' | 'requestId' | 'context'>;
    return pool.invoke({
      functionKey,
      ...given,
      onProcess: (pid) => functionKey.startsWith('run') && log(`run ${label}: process ${pid}`),
    });
  };
