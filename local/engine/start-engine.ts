import { randomUUID } from 'node:crypto';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import type { InternalServer } from '../net/listen.ts';
import type { ProcessPool } from '../pool/process-pool.ts';
import { createAsyncInvocations } from './async-invocations.ts';
import { startEngineServer } from './engine-server.ts';
import { createInvoke } from './invoke-in-pool.ts';
import { LocalEngine } from './local-engine.ts';
import { startSweeps } from './start-sweeps.ts';
import { openStateStore } from './state-store.ts';

/**
 * Starts the local engine for background runs: its API, its table, the schedules of the sweepers. When stopped, it
 * stores the results of running invocations and leaves the pool to its owner.
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
  const invocations = createAsyncInvocations({ store, invoke, log });
  const sweeps = startSweeps(invoke, log);
  const server = await startEngineServer({
    engine,
    invocations,
    invoke: (functionKey, event, _context, onLog) =>
      pool.invoke({ functionKey, event, requestId: randomUUID(), onLog }),
  });
  await engine.resumeAll();
  await invocations.resumeAll();

  return {
    endpoint: server.endpoint,
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
