import type { ExecutionStart } from './execution-store.ts';

/** Stores values that are too large for their record or checkpoint. */
export interface BlobStore {
  /**
   * Idempotent, since a key is only ever stored with the same bytes.
   * @param key - `A-Z a-z 0-9 - _ . /`; no empty, `.` or `..` segment
   * @throws AppError `STORE_UNAVAILABLE`
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * @returns null if there is none, or it has expired
   * @throws AppError `STORE_UNAVAILABLE`
   */
  get(key: string): Promise<Uint8Array | null>;
  /**
   * Changes how long a blob of any size is kept. Repeatable, even for a blob that no longer exists. @throws AppError
   * `STORE_UNAVAILABLE`
   */
  keep(key: string, life: LifeDays): Promise<void>;
  /** Removes an object; resolves even if there is none. @throws AppError `STORE_UNAVAILABLE` */
  remove(key: string): Promise<void>;
}

// Each object of an execution is kept until the execution's record has expired, RETENTION_DAYS after its end. S3 counts
// from the day on which an object was stored, so an object stored at the end, or by a run of minutes, needs fewer days
// than one that waits with its run. The rules are those of the bucket in serverless.yml.

const DAY_MS = 86_400_000;

/**
 * Days beyond RETENTION_DAYS for objects of a run of at most a day: one to upload a file before the start, one until an
 * accepted run has started, one for the run, and one until a retry has started, which keeps what it needs.
 */
export const BRIEF_DAYS = 4;

/** The values that an object's tag `life` can have, in days beyond RETENTION_DAYS. */
const TAGGED_DAYS = [BRIEF_DAYS, 34, 124] as const;

/** After how many days an object may be deleted; null for an object without a tag, which is kept longest. */
export type LifeDays = (typeof TAGGED_DAYS)[number] | null;

/**
 * Returns the key of an object.
 * @param isBrief - whether it is kept for only BRIEF_DAYS; other objects have the keys of earlier versions
 */
export const toBlobKey = (executionId: string, name: string, isBrief: boolean): string =>
  `executions/${isBrief ? 'brief/' : ''}${executionId}/${name}`;

/** Whether a packed text is in a blob that is kept longer than BRIEF_DAYS. */
export const isKeptLong = (packed: string): boolean =>
  packed.startsWith('b') && !packed.startsWith(`b${toBlobKey('', '', true).slice(0, -1)}`);

/** Whether the objects that an execution stores at its start are kept for only BRIEF_DAYS. */
export const isBriefRun = (
  { mode, held }: Pick<ExecutionStart, 'mode' | 'held'>,
  timeoutMs: number,
): boolean => held === null && (mode !== 'durable' || timeoutMs <= DAY_MS);

/** @returns how long the objects of an execution that has ended are kept, counted from the earliest of them */
export const lifeAtEnd = (startedAt: number, endedAt: number): LifeDays =>
  // In addition to the run: a day between upload and start, and a day until a retry has started.
  TAGGED_DAYS.find((days) => endedAt - startedAt <= (days - 2) * DAY_MS) ?? null;

/** Stores blobs of any size, in constant memory. */
export interface BlobStreams {
  /**
   * Replaces the blob under this key, entirely or not at all: a reader gets either the former blob or the new one. If
   * `content` throws, nothing is stored.
   * @param key - as for `BlobStore`
   * @param content - consumed at the pace of the store
   * @param life - how long the blob is kept; by default the longest life
   * @throws AppError `STORE_UNAVAILABLE`, or the error that `content` threw, or one that it caused
   */
  putStream(key: string, content: AsyncIterable<Uint8Array>, life?: LifeDays): Promise<void>;
  /**
   * @returns null if there is none, or it has expired; reading the stream throws AppError `STORE_UNAVAILABLE`
   * @throws AppError `STORE_UNAVAILABLE`
   */
  getStream(key: string): Promise<AsyncIterable<Uint8Array> | null>;
}
