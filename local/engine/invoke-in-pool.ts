import type { Invocation, ProcessPool } from '../pool/process-pool.ts';
import type { Invoke } from './local-engine.ts';

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
