import type { ProcessPool } from '../pool/process-pool.ts';
import type { Invoke } from './local-engine.ts';

/** Calls the functions for background runs in a pool, and says which process is at which run. */
export const createInvoke =
  (pool: Pick<ProcessPool, 'invoke'>, log: (line: string) => void): Invoke =>
  (functionKey, invocation, about) => {
    const { event, requestId } = invocation as { readonly event: unknown; readonly requestId: string };
    return pool.invoke({
      functionKey,
      event,
      requestId,
      onProcess: (pid) => functionKey !== 'sweep' && log(`run ${about}: process ${pid}`),
    });
  };
