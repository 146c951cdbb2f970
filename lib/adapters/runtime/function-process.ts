import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';
import type { Logger } from '../../contract/services.ts';
import type { GuardedRun, StrayErrorGuard, StrayErrorKind } from '../../engine/stray-errors.ts';
import { onAnswered } from './on-answered.ts';

/** What of Node's `process` is used. */
type ProcessEvents = Pick<NodeJS.Process, 'on' | 'once' | 'removeAllListeners'>;

interface FunctionProcessParts {
  readonly logger: Logger;
  readonly events?: ProcessEvents;
  /** Ends the process; it does not come back. */
  readonly exit?: (code: number) => void;
}

/** A process that serves one function, one event at a time, and belongs to nothing else. */
export interface FunctionProcess {
  readonly guard: StrayErrorGuard;
  /** Runs what is no node's, even if a node is the first to need it: it outlives that. */
  outside<Value>(work: () => Value): Value;
  /** The handler as Lambda is to call it: see {@link createFunctionProcess}. */
  serve<Event, Result>(
    handler: (event: Event, context: Context) => Promise<Result>,
  ): (event: Event, context: Context) => Promise<Result>;
  /** Has something tidied up when the process is told to end. */
  onEnd(tidyUp: () => Promise<void>): void;
}

/**
 * Contains the errors that plugins let loose: a rejection that nothing handles, a throw in a timer or an event. Node
 * ends the process for each of them, and Lambda fails the request that is in progress by then, of any caller. Here the node
 * fails whose code it was, and all else goes on; since the state that such an error leaves behind is unknown, the
 * process ends once it has answered, and Lambda starts another.
 *
 * Whose code it was is told by the async context, which Node restores for both events: tried for rejections, timers,
 * immediates, ticks, microtasks, sockets, files and event emitters. What is called from another context has no owner: a
 * listener that is added inside and called from outside, a promise that is made inside and rejected outside.
 *
 * On SIGTERM it has all tidied up, and ends. Lambda sends that only to functions with an extension.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-shutdown
 */
export const createFunctionProcess = ({
  logger,
  events = process,
  exit = process.exit,
}: FunctionProcessParts): FunctionProcess => {
  const owners = new AsyncLocalStorage<GuardedRun | undefined>();
  const tidyUps: (() => Promise<void>)[] = [];
  /** An error got loose in it. */
  let isSpent = false;

  const hear = (kind: StrayErrorKind) => (thrown: unknown) => {
    isSpent = true;
    const owner = owners.getStore();
    const hasFailed = owner?.fail(kind, thrown) ?? false;
    logger.error(describe(owner, hasFailed), { kind, ...namesOf(owner), cause: thrown });
  };
  const hearRejection = hear('UnhandledRejection');
  const hearException = hear('UncaughtException');

  /** Lambda's runtime has listeners that end the process. It may add them later than we do: hence at every event. */
  const claim = (): void => {
    events.removeAllListeners('unhandledRejection').on('unhandledRejection', hearRejection);
    events.removeAllListeners('uncaughtException').on('uncaughtException', hearException);
  };

  claim();
  events.once('SIGTERM', () => {
    void Promise.allSettled(tidyUps.map((tidyUp) => tidyUp())).then(() => exit(0));
  });

  return {
    guard: {
      run: (owner, work) => owners.run(owner, work),
      // Node reports rejections when all microtasks are done, and calls immediates after that.
      flush: () => new Promise((resolve) => setImmediate(resolve)),
    },
    outside: (work) => owners.run(undefined, work),
    serve: (handler) => async (event, context) => {
      claim();
      const result = await handler(event, context);
      return onAnswered(result, () => {
        if (isSpent) exit(1);
      });
    },
    onEnd: (tidyUp) => {
      tidyUps.push(tidyUp);
    },
  };
};

const describe = (owner: GuardedRun | undefined, hasFailed: boolean): string => {
  if (owner === undefined) return 'An error got loose outside of any execution.';
  return hasFailed
    ? 'A node has let an error loose: its execution has failed.'
    : 'A node has let an error loose after its execution had ended.';
};

const namesOf = (owner: GuardedRun | undefined) =>
  owner === undefined
    ? {}
    : {
        executionId: owner.execution.executionId,
        workflowId: owner.execution.workflowId,
        workflowVersion: owner.execution.workflowVersion,
        nodeId: owner.nodeId,
      };
