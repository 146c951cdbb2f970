import {
  type ExecutionInfo,
  isNodeError,
  isPlainObject,
  type JsonObject,
  type NodeError,
} from '@hookloom/plugin-kit';
import { isAppError } from '../shared/errors.ts';
import { createMeasureJson } from './measure-json.ts';

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_DETAILS_BYTES = 32_768;

/** Removes secrets: see `ExecutionCredentials.scrub`. */
export type Scrub = <Value>(value: Value) => Value;

/** Why an attempt failed: plain JSON of limited size, so that it can be a checkpoint. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** The details of the error. For this field and the next two, see `NodeErrorOptions`. */
  readonly details?: JsonObject;
  readonly isRetryable?: boolean;
  readonly retryAfterMs?: number;
}

/**
 * Turns whatever was thrown into a failure for records and answers: limited in size, without stack and cause.
 * @param scrub - removes secrets before the text is cut, because half a secret would not be found
 */
export const toFailure = (thrown: unknown, scrub: Scrub = (value) => value): Failure => {
  try {
    if (!(thrown instanceof Error))
      return { name: 'Error', message: trimMessage(scrub(`a node threw ${describeThrown(thrown)}`)) };
    const failure = {
      name: trimMessage(scrub(nameOfThrown(thrown))),
      message: trimMessage(scrub(String(thrown.message))),
    };
    return isNodeError(thrown) ? { ...failure, ...readOptions(thrown, scrub) } : failure;
  } catch {
    return { name: 'Error', message: 'a node threw an error that cannot be described' };
  }
};

/** The name of an error; for one of a catalogue its code, `OUTBOUND_FAILED` as `OutboundFailed`, as other names are written. */
const nameOfThrown = (thrown: Error): string =>
  isAppError(thrown)
    ? thrown.code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
    : String(thrown.name);

/** Like {@link toFailure}, for a stray error. */
export const toStrayFailure = (name: string, thrown: unknown, scrub?: Scrub) => {
  const { name: original, message } = toFailure(thrown, scrub);
  return { name, message: trimMessage(`${original}: ${message}`) };
};

const readOptions = (
  { details, isRetryable, retryAfterMs }: NodeError,
  scrub: Scrub,
): Omit<Failure, 'name' | 'message'> => ({
  ...(details === undefined ? {} : { details: toDetails(details, scrub) }),
  ...(isRetryable === false ? { isRetryable } : {}),
  ...(retryAfterMs !== undefined && Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
});

/** The details, frozen and without secrets; a note takes the place of details that are too large or not JSON. */
const toDetails = (details: JsonObject, scrub: Scrub): JsonObject => {
  try {
    if (!isPlainObject(details)) return { omitted: 'no JSON object' };
    const measure = createMeasureJson();
    const bytes = measure(details);
    if (bytes > MAX_DETAILS_BYTES)
      return { omitted: `about ${bytes} bytes; at most ${MAX_DETAILS_BYTES} are allowed` };
    const scrubbed = scrub(details);
    measure(scrubbed); // freezes a copy
    return scrubbed;
  } catch (error) {
    return { omitted: trimMessage(scrub(String(error))) };
  }
};

const describeThrown = (thrown: unknown): string => {
  if (typeof thrown === 'string') return `"${thrown}"`;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  return typeof message === 'string' ? message : 'an object that is not an Error';
};

const trimMessage = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;

/** The Node.js process event that reported the error. */
export type StrayErrorKind = 'UnhandledRejection' | 'UncaughtException';

/** A node run whose stray errors become failures of its node. */
export interface GuardedRun {
  readonly execution: ExecutionInfo;
  readonly nodeId: string;
  /**
   * Fails the execution at this node.
   * @returns false if the execution has ended or was suspended
   */
  fail(kind: StrayErrorKind, thrown: unknown): boolean;
  /** Removes the secrets of the execution from data. */
  readonly scrub: Scrub;
}

/** Finds out which node run caused a stray error, one that no `catch` can reach. */
export interface StrayErrorGuard {
  /** Runs `work`, and attributes to `run` every stray error of anything `work` starts, now or later. */
  run<Value>(run: GuardedRun, work: () => Value): Value;
  /** Resolves when all unhandled rejections so far have been reported to their runs. */
  flush(): Promise<void>;
}
