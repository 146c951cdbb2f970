import { randomUUID } from 'node:crypto';
import type { EmbeddedDatabase } from 'lambda-stage/database';
import {
  createAsyncInvocations,
  type FindLambdaFunction,
  type Invoke,
  LocalEngine,
  openStateStore,
  startEngineServer,
} from 'lambda-stage/engine';
import type { InternalServer } from 'lambda-stage/net';
import { createInvoke, type ProcessPool } from 'lambda-stage/pool';
import { checkVersions, WRITTEN } from '../../../lib/adapters/dynamodb/schema/schema.ts';
import { createGiveUp, labelOf } from './failed-runs.ts';

interface StartedEngine extends InternalServer {
  /** Resumes what a previous engine left open. Call it when nothing else has to start quickly. */
  readonly resume: () => void;
}

/** Whether a function runs workflows in the background, so that the log names its process. */
export const isRun = (key: string): boolean => key.startsWith('run');

/** The function that runs durable executions. @internal */
export const RUN_DURABLE = {
  key: 'runDurable',
  versionArn: 'arn:aws:lambda:local:000000000000:function:runDurable:1',
};

/** The functions that the local service invokes asynchronously. */
const ASYNC_FUNCTIONS = ['runExpress', 'dispatch', 'sweep', 'retryExecutions'];

/** The functions of the local service: all can be invoked synchronously, and asynchronously those that the service itself invokes that way. @internal */
export const findLocalFunction: FindLambdaFunction = (name) => {
  const isDurable = /runDurable:durable$/.test(name);
  const key = isDurable ? 'runDurable' : (name.split(/\W/).at(-1) ?? name);
  const invokedArn = `arn:aws:lambda:local:000000000000:function:${isDurable ? 'runDurable:durable' : key}`;
  if (isDurable || ASYNC_FUNCTIONS.includes(key)) return { key, isDurable, invokedArn };
  return { key, isDurable, invokedArn, takes: 'RequestResponse' };
};

/**
 * Starts the local engine for background runs: its API, its table, the schedules of the sweepers. When stopped, it
 * stores the results of running invocations and leaves the pool to its owner.
 */
export const startEngine = async (
  database: EmbeddedDatabase,
  tablePrefix: string,
  pool: Pick<ProcessPool, 'invoke'>,
  log: (line: string) => void,
): Promise<StartedEngine> => {
  const table = `${tablePrefix}-local-durable`;
  const store = await openStateStore(database, table, {
    stamp: WRITTEN,
    check: (items) => checkVersions(table, items),
  });
  const invoke = createInvoke(pool, log, isRun);
  const engine = new LocalEngine({ store, invoke, log, durable: [RUN_DURABLE] });
  const giveUp = createGiveUp(invoke, log);
  const invocations = createAsyncInvocations({ store, invoke, log, giveUp, labelOf });
  const resumeRuns = await engine.load();
  const resumeInvocations = await invocations.load();
  const sweeps = startSweeps(invoke, log);
  const server = await startEngineServer({
    engine,
    invocations,
    findFunction: findLocalFunction,
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

/** Invokes the sweepers at intervals, as their schedules in serverless.yml do. @internal */
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
