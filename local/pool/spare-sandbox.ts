import { Sandbox } from './sandbox.ts';

/** Gives out processes that have loaded nothing yet. */
export interface SpareSandbox {
  take(): Sandbox;
  stop(): Promise<void>;
}

/** By then, what the process before was taken for is loaded, and its start takes no time from that. */
const REFILL_MS = 150;

/**
 * One process is started ahead, and another one once that is taken: the start of a process takes longer than most
 * invocations.
 * @param environment of the processes
 * @param processFile what they run: see `Sandbox`
 */
export const createSpareSandbox = (
  environment: NodeJS.ProcessEnv = process.env,
  processFile?: string,
): SpareSandbox => {
  let isStopped = false;
  let refill: NodeJS.Timeout | undefined;
  let spare: Sandbox | null = new Sandbox(environment, processFile);
  return {
    take: () => {
      const sandbox = spare === null || spare.isClosed ? new Sandbox(environment, processFile) : spare;
      spare = null;
      refill ??= setTimeout(() => {
        refill = undefined;
        if (!isStopped) spare ??= new Sandbox(environment, processFile);
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

/** For what may need no process at all: each is started when it is needed. */
export const noSpareSandbox: SpareSandbox = {
  take: () => new Sandbox(process.env),
  stop: async () => {},
};
