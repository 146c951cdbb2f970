import type { NodeContext } from '../contract/node.ts';
import type { NodeRun } from './node-run.ts';
import type { Session } from './session.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** The time of one attempt is up. */
class NodeTimeout extends Error {
  constructor(seconds: number) {
    super(`the node took longer than ${seconds} s`);
    this.name = 'TimeoutError';
  }
}

export interface AttemptContext {
  /** What the executor gets: plain data and closures, so that it can be taken apart and spread. */
  readonly context: NodeContext;
  /** Rejects, and aborts the signal, when the time of the attempt or of the execution is up; `done` ends the wait. */
  expire(done: AbortSignal): Promise<never>;
}

/** The context of one attempt. @param number of the attempt, 1 for the first */
export const createAttemptContext = (session: Session, run: NodeRun, number: number): AttemptContext => {
  const { execution, ports } = session;
  const { clock } = ports.services;
  const { node, nodeType } = run.planNode;
  const timeoutSeconds = node.settings?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const startedAt = number === 1 ? run.startedAt : clock.now();
  const controller = new AbortController();
  const idempotencyKey = `${execution.executionId}/${run.name}`;
  const remainingMs = () => Math.max(0, startedAt + timeoutSeconds * 1_000 - clock.now());
  return {
    context: {
      execution,
      attempt: number,
      iteration: run.iteration,
      inputs: run.inputs,
      control: run.control,
      logger: ports.logger,
      signal: controller.signal,
      services: nodeType.pure ? session.pureServices(idempotencyKey) : ports.services,
      idempotencyKey,
      remainingMs,
    },
    expire: (done) =>
      new Promise((_resolve, reject) => {
        const stopped = session.getStopped();
        const expire = (reason: unknown) => {
          controller.abort(reason);
          reject(reason);
        };
        stopped.addEventListener('abort', () => expire(stopped.reason), { once: true, signal: done });
        clock.sleep(remainingMs(), done).then(
          () => expire(new NodeTimeout(timeoutSeconds)),
          () => {}, // the wait was ended: the result is there
        );
      }),
  };
};
