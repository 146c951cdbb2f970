import type { ExecutionInfo } from '../contract/node.ts';
import type { Scrub } from './credentials/scrub-log.ts';

const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Converts whatever was thrown for records and answers: bounded, without stack and cause.
 *
 * @param scrub - removes secrets before the text is cut, since half of one would not be found
 */
export const toFailure = (
  thrown: unknown,
  scrub: Scrub = (value) => value,
): { readonly name: string; readonly message: string } => {
  try {
    if (!(thrown instanceof Error))
      return { name: 'Error', message: trim(scrub(`a node threw ${describeThrown(thrown)}`)) };
    return { name: trim(scrub(String(thrown.name))), message: trim(scrub(String(thrown.message))) };
  } catch {
    return { name: 'Error', message: 'a node threw an error that can not be described' };
  }
};

/** The same for a stray error. */
export const toStrayFailure = (name: string, thrown: unknown, scrub?: Scrub) => {
  const { name: original, message } = toFailure(thrown, scrub);
  return { name, message: trim(`${original}: ${message}`) };
};

const describeThrown = (thrown: unknown): string => {
  if (typeof thrown === 'string') return `"${thrown}"`;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  return typeof message === 'string' ? message : 'an object that is no Error';
};

const trim = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;

/** Node's event for the error. */
export type StrayErrorKind = 'UnhandledRejection' | 'UncaughtException';

/** A node run whose code is guarded: stray errors of that code are failures of this node. */
export interface GuardedRun {
  readonly execution: ExecutionInfo;
  readonly nodeId: string;
  /**
   * Fails the execution at this node.
   *
   * @returns false when it had ended before, or was suspended
   */
  fail(kind: StrayErrorKind, thrown: unknown): boolean;
  /** Removes the secrets of its execution. */
  readonly scrub: Scrub;
}

/** Attributes stray errors, which no `catch` can reach, to the node run that caused them. */
export interface StrayErrorGuard {
  /** Runs `work`, and attributes to `run` the stray errors of all that it starts, then or later. */
  run<Value>(run: GuardedRun, work: () => Value): Value;
  /** Resolves when all unhandled rejections so far are reported to their runs. */
  flush(): Promise<void>;
}
