import { Sandbox } from './sandbox.ts';

/** Provides processes that have not loaded anything yet. */
export interface SpareSandbox {
  take(): Sandbox;
  stop(): Promise<void>;
}

/** Delays the next start until the previous process has loaded its function, so as not to slow it down. */
const REFILL_MS = 150;

/**
 * Keeps one process started ahead: starting one takes longer than most invocations.
 * @param processFile - see {@link Sandbox}
 * @param nodeArguments - see {@link Sandbox}
 */
export const createSpareSandbox = (
  environment: NodeJS.ProcessEnv = process.env,
  processFile?: string,
  nodeArguments: readonly string[] = [],
): SpareSandbox => {
  const start = () => new Sandbox(environment, processFile, nodeArguments);
  let isStopped = false;
  let refill: NodeJS.Timeout | undefined;
  let spare: Sandbox | null = start();
  return {
    take: () => {
      const sandbox = spare === null || spare.isClosed ? start() : spare;
      spare = null;
      refill ??= setTimeout(() => {
        refill = undefined;
        if (!isStopped) spare ??= start();
      }, REFILL_MS);
      return sandbox;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(refill);
      await spare?.end();
    },
  };
};

/** Starts each process on demand, for a command that may need none. */
export const noSpareSandbox: SpareSandbox = {
  take: () => new Sandbox(process.env),
  stop: async () => {},
};
