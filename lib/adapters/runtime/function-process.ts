import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { scrubFields } from '../../engine/credentials.ts';
import type { GuardedRun, StrayErrorGuard, StrayErrorKind } from '../../engine/failure.ts';

type ProcessEvents = Pick<NodeJS.Process, 'on' | 'once' | 'removeAllListeners'>;

interface FunctionProcessParts {
  readonly logger: Logger;
  readonly events?: ProcessEvents;
  /** Ends the process; does not return. */
  readonly exit?: (code: number) => void;
}

/**
 * Confines the stray errors of plugins: unhandled rejections, and throws in timers and event listeners. By default Node
 * ends the process for each, and Lambda fails the request in progress, of any caller. Here the node that owns the code
 * fails and everything else continues; since the state after such an error is unknown, the process exits once it has
 * answered, and Lambda starts another.
 *
 * The owner is found through the async context, which Node restores for both events; this was verified for rejections,
 * timers, immediates, ticks, microtasks, sockets, files and event emitters. Code that another context calls has no
 * owner: a listener added inside and called from outside, or a promise created inside and rejected outside.
 *
 * On SIGTERM it runs the clean-up functions and exits. Lambda sends SIGTERM only to functions with an extension.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-shutdown
 */
export const createFunctionProcess = ({
  logger,
  events = process,
  exit = process.exit,
}: FunctionProcessParts) => {
  const runs = new AsyncLocalStorage<GuardedRun | undefined>();
  const cleanUps: (() => Promise<void>)[] = [];
  let hasStrayError = false;

  const handle = (kind: StrayErrorKind) => (thrown: unknown) => {
    hasStrayError = true;
    const run = runs.getStore();
    const hasFailed = run?.fail(kind, thrown) ?? false;
    const fields = { kind, ...namesOf(run), cause: thrown };
    logger.error(
      describeStrayError(run, hasFailed),
      run === undefined ? fields : scrubFields(fields, run.scrub),
    );
  };
  const onRejection = handle('UnhandledRejection');
  const onException = handle('UncaughtException');

  /**
   * Replaces the listeners of Lambda's runtime, which end the process. Called at every event, since the runtime may add
   * its listeners later.
   */
  const replaceListeners = (): void => {
    events.removeAllListeners('unhandledRejection').on('unhandledRejection', onRejection);
    events.removeAllListeners('uncaughtException').on('uncaughtException', onException);
  };

  replaceListeners();
  events.once('SIGTERM', () => {
    void Promise.allSettled(cleanUps.map((cleanUp) => cleanUp())).then(() => exit(0));
  });

  const guard: StrayErrorGuard = {
    run: (run, work) => runs.run(run, work),
    // Node reports rejections after all microtasks, and runs immediates after that.
    flush: () => new Promise((resolve) => setImmediate(resolve)),
  };
  return {
    guard,
    /** Runs work that belongs to no node, such as opening a shared connection that a node is the first to need. */
    outside: <Value>(work: () => Value): Value => runs.run(undefined, work),
    /** Wraps a handler for Lambda. */
    serve:
      <Event, Result>(handler: (event: Event, context: Context) => Promise<Result>) =>
      async (event: Event, context: Context): Promise<Result> => {
        replaceListeners();
        const result = await handler(event, context);
        return onAnswered(result, () => {
          if (hasStrayError) exit(1);
        });
      },
    /** Registers a clean-up function for SIGTERM. */
    onEnd: (cleanUp: () => Promise<void>): void => void cleanUps.push(cleanUp),
  };
};

/** A process that serves one function, one event at a time, and nothing else. */
export type FunctionProcess = ReturnType<typeof createFunctionProcess>;

const describeStrayError = (run: GuardedRun | undefined, hasFailed: boolean): string => {
  if (run === undefined) return 'Unhandled error outside of any execution.';
  return hasFailed
    ? 'Unhandled error of a node; its execution has failed.'
    : 'Unhandled error of a node, after the end of its execution.';
};

const namesOf = (run: GuardedRun | undefined) =>
  run === undefined
    ? {}
    : {
        executionId: run.execution.executionId,
        workflowId: run.execution.workflowId,
        workflowVersion: run.execution.workflowVersion,
        nodeId: run.nodeId,
      };

/**
 * Calls `act` after a handler's result was sent and before the process gets its next event.
 *
 * Lambda has no hook for that. Its runtime client for Node 24 (aws-lambda-ric 4) serialises the result, which calls
 * `toJSON`, and posts it with a call that returns once the Runtime API has accepted it; some microtasks later it
 * requests the next event. A microtask queued by `toJSON` runs between the two. The Runtime API
 * (aws-lambda-runtime-interface-emulator, the open-source part of Lambda's) writes an accepted result to the caller
 * before acknowledging it, and keeps it if the process ends then; a process that ends later, while waiting for an
 * event, fails that event. This follows from the source code and was not tested on AWS. The local service also writes
 * results synchronously.
 *
 * If the result is never serialised, `act` is not called: the process stays, and no event is lost.
 */
const onAnswered = <Result>(result: Result, act: () => void): Result => {
  const toJSON = () => {
    queueMicrotask(act);
    return result ?? null;
  };
  if (typeof result !== 'object' || result === null) return { toJSON } as Result;
  return Object.defineProperty(result, 'toJSON', { value: toJSON, configurable: true });
};
