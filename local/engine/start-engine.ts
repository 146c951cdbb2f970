import { randomUUID } from 'node:crypto';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import type { InternalServer } from '../net/listen.ts';
import type { ProcessPool } from '../pool/process-pool.ts';
import { startEngineServer } from './engine-server.ts';
import { createExpressRuns } from './express-runs.ts';
import { createInvoke } from './invoke-in-pool.ts';
import { LocalEngine } from './local-engine.ts';
import { openStateStore } from './state-store.ts';

/** Five minutes when deployed, one for what is held. */
const SWEEP_INTERVAL_MS = 30_000;

/**
 * Starts the local engine for background runs: its API, its table, the schedule of the sweeper. When it is stopped it
 * stores the results of running invocations, and leaves the pool to its owner.
 */
export const startEngine = async (
  dynamodbEndpoint: string,
  tablePrefix: string,
  pool: Pick<ProcessPool, 'invoke'>,
  log: (line: string) => void,
): Promise<InternalServer> => {
  const client = createSdk(dynamodbEndpoint);
  const store = await openStateStore(client, `${tablePrefix}-local-durable`);
  const invoke = createInvoke(pool, log);
  const engine = new LocalEngine({ store, invoke, log });
  const express = createExpressRuns({ invoke, log });
  let isStopped = false;

  const sweep = (event: unknown) => {
    invoke('sweep', { event, requestId: randomUUID() }, 'sweep').catch(
      (error: Error) => isStopped || log(`sweep: ${error.message}`),
    );
  };
  const server = await startEngineServer({ engine, express, sweep });
  await engine.resumeAll();
  const timer = setInterval(() => sweep({ source: 'aws.events' }), SWEEP_INTERVAL_MS);
  timer.unref();

  return {
    endpoint: server.endpoint,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      express.close();
      const closed = engine.close();
      await server.stop();
      await closed;
      client.destroy();
    },
  };
};
