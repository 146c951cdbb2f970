import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Invoke, LocalFunction } from './local-engine.ts';

const RUNNER = fileURLToPath(new URL('./run-invocation.ts', import.meta.url));

const MODULES: Record<LocalFunction, string> = {
  runDurable: 'run-durable.ts',
  runExpress: 'run-express.ts',
  sweep: 'sweep.ts',
};

/** What an invocation's process is told. */
export interface Invocation {
  /** In functions/. */
  readonly module: string;
  readonly event: unknown;
  readonly requestId: string;
}

/** What it tells. */
export type Outcome = { readonly output: unknown } | { readonly error: string };

/**
 * Calls functions in processes of their own, as Lambda does: one that is killed takes nothing along but itself.
 * @param environment of the functions
 */
export const createInvoke = (
  environment: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): { readonly invoke: Invoke; stop(): void } => {
  const children = new Set<ChildProcess>();

  const invoke: Invoke = (name, event, about) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [RUNNER], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      children.add(child);
      if (name !== 'sweep') log(`run ${about}: process ${child.pid}`);
      let outcome: Outcome | null = null;
      child.once('message', (message) => {
        outcome = message as Outcome;
      });
      child.once('error', (error) => {
        children.delete(child);
        reject(error);
      });
      child.once('exit', (code, signal) => {
        children.delete(child);
        if (outcome === null)
          reject(new Error(signal === null ? `exit code ${code}` : `it was ended by ${signal}`));
        else if ('error' in outcome) reject(new Error(outcome.error));
        else resolve(outcome.output);
      });
      const invocation: Invocation = {
        ...(event as { event: unknown; requestId: string }),
        module: MODULES[name],
      };
      child.send(invocation, () => {}); // a process that has ended before it hears of it says so by its end
    });

  return {
    invoke,
    stop: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
};
