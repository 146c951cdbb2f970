import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
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

interface PackOptions {
  /** Size of the packed text, UTF-8 bytes. */
  readonly limitBytes: number;
  /** Key of the blob, if the compressed text is too large. */
  readonly key: string;
  readonly blobs: Pick<BlobStore, 'put'>;
}

/**
 * Shorter texts are not worth the time; longer ones, uncompressed, would make their item larger than one write unit.
 */
const COMPRESSED_FROM_BYTES = 700;

const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
/**
 * Bytes in one piece of inflated data: with the default of 16 kB, collecting the pieces takes several times as long as
 * inflating them.
 */
const CHUNK_BYTES = 256 * 1024;

const compress = promisify(gzip);
const inflate = promisify(gunzip);

/**
 * Packs a text for an attribute of limited size. The first character is the format: `j` for the text itself, `z` for
 * gzip (RFC 1952) in base64, `b` for the key of a blob. `packRefusal` uses `x`.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packText = async (text: string, { limitBytes, key, blobs }: PackOptions): Promise<string> => {
  const short = Math.min(COMPRESSED_FROM_BYTES, limitBytes);
  if (text.length < short && Buffer.byteLength(text) < short) return `j${text}`;
  const compressed = await compress(text, { level: constants.Z_BEST_SPEED }); // the default takes twice the CPU time
  if (Math.ceil(compressed.length / 3) * 4 < limitBytes) return `z${compressed.toString('base64')}`;
  await blobs.put(key, compressed);
  return `b${key}`;
};

/** Whether a packed text is the key of a blob. */
const isInBlob = (packed: string): boolean => packed.startsWith('b');

/** @returns the key of the blob that a packed text names; null if it names none */
export const blobKeyOf = (packed: string): string | null => (isInBlob(packed) ? packed.slice(1) : null);

/** @throws AppError `STORE_UNAVAILABLE`, or an Error that names the key of a missing blob */
export const unpackText = async (
  packed: string,
  blobs: Pick<BlobStore, 'get'>,
  maxBytes = MAX_UNPACKED_BYTES,
): Promise<string> => {
  const rest = packed.slice(1);
  switch (packed[0]) {
    case 'j':
      return rest;
    case 'z':
      return inflateText(Buffer.from(rest, 'base64'), maxBytes);
    case 'b': {
      const blob = await blobs.get(rest);
      if (blob === null) throw new Error(`the blob ${rest} no longer exists`);
      return inflateText(blob, maxBytes);
    }
    default:
      throw new Error('this is not a packed text');
  }
};

const inflateText = async (bytes: Uint8Array, maxBytes: number): Promise<string> =>
  (await inflate(bytes, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES })).toString('utf8');
