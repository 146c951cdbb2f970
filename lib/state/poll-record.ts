import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import { liveOf } from './show-entry.ts';
import type { StateEntry } from './state-store.ts';

/** What is remembered of a trigger's polls: the value of an entry of its workflow's state that has the trigger's id as its key. */
export interface PollRecord {
  /** When the first poll succeeded, ISO 8601; null until then. */
  readonly since: string | null;
  readonly polledAt: string;
  /** How many items the latest poll has found, and how many executions it has started. */
  readonly found: number;
  readonly started: number;
  /** Why the latest poll failed; null if it succeeded. */
  readonly failure: PollFailure | null;
  /** Number of the next batch, from which the id of its execution is derived. Counted once all keys of a batch are marked. */
  readonly batch: number;
  /** What the next poll is given; absent in records of earlier releases. */
  readonly position?: JsonValue;
  /** The poll that runs: no other one may, until then. */
  readonly running: { readonly requestId: string; readonly until: number } | null;
}

interface PollFailure {
  readonly name: string;
  readonly message: string;
  /** The poll's own execution; null if it has none, because the stores of the service failed or the poll did not end. */
  readonly executionId: string | null;
  /** When the first of the polls failed that have failed since the last success, ISO 8601; absent in records of earlier releases. */
  readonly since?: string;
}

/** How long a poll keeps others out, in milliseconds: longer than the function may run. */
export const POLL_LOCK_MS = 16 * 60_000;

/**
 * Reads what was noted. Others may write the entry too: what makes no sense is left out.
 * @returns null if there is none, or an operator has put another value in its place
 */
export const readPollRecord = (entry: StateEntry | null, now: number): PollRecord | null => {
  const content = liveOf(entry, now)?.content;
  const value = content?.kind === 'value' ? content.value : null;
  if (!isPlainObject(value) || typeof value.batch !== 'number') return null;
  const failure = isFailure(value.failure) ? value.failure : null;
  const running = isRunning(value.running) ? value.running : null;
  return { ...value, failure, running } as unknown as PollRecord;
};

const isFailure = (value: unknown): boolean =>
  isPlainObject(value) &&
  typeof value.message === 'string' &&
  (value.executionId === null || isId(value.executionId)) &&
  (value.since === undefined || isTime(value.since));

const isRunning = (value: unknown): boolean =>
  isPlainObject(value) &&
  typeof value.until === 'number' &&
  value.until >= POLL_LOCK_MS &&
  value.until < MAX_DATE;

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 24 && Number.isFinite(Date.parse(value));

/** The last instant of a `Date`, in milliseconds since the epoch. */
const MAX_DATE = 8.64e15;

/** Since when the polls fail, if another one fails at a time. @param at - ISO 8601 */
export const failingSince = ({ failure, polledAt }: PollRecord, at: string): string =>
  failure === null ? at : (failure.since ?? (isTime(polledAt) ? polledAt : at));

/**
 * Why a trigger can't poll, and since when; null if its latest poll succeeded, or none has ended yet. A poll that was killed
 * has noted nothing but its lock.
 */
export const findPollFailure = (record: PollRecord, now: number): Required<PollFailure> | null => {
  const { running, failure } = record;
  if (running !== null && running.until <= now) return toInterrupted(record, running.until);
  return failure && { ...failure, since: failingSince(record, new Date(now).toISOString()) };
};

/** The failure of a poll that did not release its lock. @param until - of the lock */
export const toInterrupted = (record: PollRecord, until: number): Required<PollFailure> => {
  const startedAt = new Date(until - POLL_LOCK_MS).toISOString();
  return {
    name: 'PollInterrupted',
    message: `the poll that began at ${startedAt} ended without noting a result: its process was killed, or the store failed`,
    executionId: null,
    since: failingSince(record, startedAt),
  };
};
