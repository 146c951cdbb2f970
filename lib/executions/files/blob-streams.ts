import type { LifeDays } from '../record/blob-store.ts';

/** Stores blobs of any size, in constant memory. */
export interface BlobStreams {
  /**
   * Stores the content in place of what the key has, all of it or nothing: a reader gets the former blob or the new one.
   * Nothing is stored when `content` throws.
   *
   * @param key - as for `BlobStore`
   * @param content - consumed at the pace of the store
   * @param life - for how long it is kept; by default the longest
   * @throws AppError `STORE_UNAVAILABLE`, or the error of `content` or a consequence of it
   */
  putStream(key: string, content: AsyncIterable<Uint8Array>, life?: LifeDays): Promise<void>;
  /**
   * @returns null when there is none, or it has expired; reading it throws AppError `STORE_UNAVAILABLE`
   * @throws AppError `STORE_UNAVAILABLE`
   */
  getStream(key: string): Promise<AsyncIterable<Uint8Array> | null>;
}
