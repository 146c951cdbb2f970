import type { LentCredential, NodeContext, Usage } from '@hookloom/plugin-kit';
import type { NodeRun } from './node-run.ts';
import { noAws, noFiles, noTcp } from './pure-services.ts';
import type { Session } from './session.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;

class NodeTimeoutError extends Error {
  constructor(seconds: number) {
    super(`the node took longer than ${seconds} s`);
    this.name = 'TimeoutError';
  }
}

export interface AttemptContext {
  /** Plain data and closures, so that an executor can destructure and spread it. */
  readonly context: NodeContext;
  /** Rejects, and aborts the signal of the context, when the attempt times out or the execution ends; until `done`. */
  rejectOnTimeout(done: AbortSignal): Promise<never>;
}

/** @param number - 1 for the first attempt */
export const createAttemptContext = (
  session: Session,
  run: NodeRun,
  number: number,
  credential: LentCredential | null,
): AttemptContext => {
  const { execution, ports } = session;
  const { clock } = ports.services;
  const { node, nodeType } = run.planNode;
  const timeoutSeconds = node.settings?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  // The time that its credential took is not the node's.
  const startedAt = number === 1 && credential === null ? run.startedAt : clock.now();
  const controller = new AbortController();
  const idempotencyKey = `${execution.executionId}/${run.key}`;
  const remainingMs = () => Math.max(0, startedAt + timeoutSeconds * 1_000 - clock.now());
  return {
    context: {
      execution,
      attempt: number,
      iteration: run.iteration,
      inputs: run.inputs,
      control: run.control,
      logger: session.logger,
      signal: controller.signal,
      services: nodeType.pure
        ? session.pureServices(idempotencyKey)
        : {
            aws: noAws,
            tcp: noTcp,
            ...ports.services,
            files: ports.openFiles?.(run.key, controller.signal) ?? noFiles,
          },
      credential,
      idempotencyKey,
      remainingMs,
      addUsage: (amounts) => {
        // What an attempt uses after its timeout is not that of the next one.
        if (!controller.signal.aborted) run.usage = addUsage(run.usage, amounts);
      },
    },
    rejectOnTimeout: (done) =>
      new Promise((_resolve, reject) => {
        const signal = run.signal();
        const fail = (reason: unknown) => {
          controller.abort(reason);
          reject(reason);
        };
        signal.addEventListener('abort', () => fail(signal.reason), { once: true, signal: done });
        clock.sleep(remainingMs(), done).then(
          () => fail(new NodeTimeoutError(timeoutSeconds)),
          () => {}, // `done` was aborted
        );
      }),
  };
};

/** With {@link NAME} a bound on the size of a record. */
const MAX_NAMES = 20;
const NAME = /^[A-Za-z0-9_-]{1,40}$/;

/**
 * Adds amounts to those that an attempt has counted before.
 *
 * @throws TypeError for an amount that is no number of 0 and above, a name of other characters, and too many names
 */
const addUsage = (before: Usage | null, amounts: Usage): Usage => {
  const total = new Map(Object.entries(before ?? {}));
  for (const [name, amount] of Object.entries(amounts)) {
    const sum = (total.get(name) ?? 0) + amount;
    if (!NAME.test(name) || name === '__proto__' || !(amount >= 0) || !Number.isFinite(sum))
      throw new TypeError(`addUsage() takes names of A-Z a-z 0-9 _ - with amounts of 0 and above`);
    total.set(name, sum);
  }
  if (total.size > MAX_NAMES) throw new TypeError(`addUsage() takes at most ${MAX_NAMES} names`);
  return Object.freeze(Object.fromEntries(total));
};
