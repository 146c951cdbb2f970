import type { LifeDays } from '../record/blob-store.ts';

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
