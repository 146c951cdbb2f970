import { Sandbox } from './sandbox.ts';

/** Gives out processes that have loaded nothing yet, one of them started ahead. */
export interface SpareSandbox {
  take(): Sandbox;
  stop(): Promise<void>;
}

/** @param environment of the processes */
export const createSpareSandbox = (environment: NodeJS.ProcessEnv = process.env): SpareSandbox => {
  let isStopped = false;
  let spare: Sandbox | null = new Sandbox(environment);
  return {
    take: () => {
      const sandbox = spare === null || spare.isClosed ? new Sandbox(environment) : spare;
      spare = null;
      // After what it is taken for: the start of a process costs more than the whole of most invocations.
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
