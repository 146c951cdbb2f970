import type { FileValue } from '@hookloom/plugin-kit';
import { FILE_CHANGED, FILE_TOO_LARGE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

/** A SHA-256 hash that is updated incrementally. */
export interface ContentHash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface MeasureOptions {
  readonly hash: ContentHash;
  /** Aborted: the content ends with the signal's reason. */
  readonly signal: AbortSignal;
  /** Name of the file, for errors. */
  readonly name: string;
  readonly limitBytes: number;
}

interface MeasuredContent {
  /** The same content; it throws AppError `FILE_TOO_LARGE` beyond the limit. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Hash of the bytes read so far. */
  size(): number;
  /** What `content` threw; null if it did not throw. */
  failure(): { readonly error: unknown } | null;
}

/** Measures and hashes content as it is read. */
export const measureContent = (
  source: AsyncIterable<Uint8Array>,
  { hash, signal, name, limitBytes }: MeasureOptions,
): MeasuredContent => {
  let size = 0;
  let failure: { readonly error: unknown } | null = null;
  const measure = async function* () {
    try {
      for await (const chunk of source) {
        signal.throwIfAborted();
        if (!(chunk instanceof Uint8Array)) throw new TypeError(`the content of "${name}" must be bytes`);
        size += chunk.byteLength;
        if (size > limitBytes) throw new AppError(FILE_TOO_LARGE, { name, limitBytes });
        hash.update(chunk);
        yield chunk;
      }
      signal.throwIfAborted();
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return { content: measure(), size: () => size, failure: () => failure };
};

/**
 * Checks content against its file value as it is read. The last chunk is held back until everything is checked, so that
 * a receiver never gets the whole of content that does not match. Reading throws AppError `FILE_CHANGED` if size or
 * hash differ, or the signal's reason once it is aborted.
 */
export const verifyContent = async function* (
  content: AsyncIterable<Uint8Array>,
  { name, size, sha256 }: FileValue,
  hash: ContentHash,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const changed = () => new AppError(FILE_CHANGED, { name });
  let held: Uint8Array | null = null;
  let bytes = 0;
  for await (const chunk of content) {
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    if (bytes > size) throw changed();
    hash.update(chunk);
    if (held !== null) yield held;
    held = chunk;
  }
  if (bytes !== size || hash.digest('hex') !== sha256) throw changed();
  if (held !== null) yield held;
};
