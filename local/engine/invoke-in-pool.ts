import type { ProcessPool } from '../pool/process-pool.ts';
import type { Invoke } from './local-engine.ts';

/** Invokes the functions for background runs in a pool, and logs the process of each run. */
export const createInvoke =
  (pool: Pick<ProcessPool, 'invoke'>, log: (line: string) => void): Invoke =>
  (functionKey, invocation, label) => {
    const { event, requestId } = invocation as { readonly event: unknown; readonly requestId: string };
    return pool.invoke({
      functionKey,
      event,
      requestId,
      onProcess: (pid) => functionKey.startsWith('run') && log(`run ${label}: process ${pid}`),
    });
  };
