import { Sandbox } from './sandbox.ts';

/** Gives out processes that have loaded nothing yet. */
export interface SpareSandbox {
  take(): Sandbox;
  stop(): Promise<void>;
}

/**
 * One process is started ahead, and another one once that is taken: the start of a process takes longer than most
 * invocations.
 * @param environment of the processes
 */
export const createSpareSandbox = (environment: NodeJS.ProcessEnv = process.env): SpareSandbox => {
  let isStopped = false;
  let spare: Sandbox | null = new Sandbox(environment);
  return {
    take: () => {
      const sandbox = spare === null || spare.isClosed ? new Sandbox(environment) : spare;
      spare = null;
      // After what it is taken for.
      setImmediate(() => {
        if (!isStopped) spare ??= new Sandbox(environment);
      });
      return sandbox;
    },
    stop: async () => {
      isStopped = true;
      await spare?.end();
    },
  };
};

/** For what may need no process at all: each is started when it is needed. */
export const noSpareSandbox: SpareSandbox = {
  take: () => new Sandbox(process.env),
  stop: async () => {},
};
