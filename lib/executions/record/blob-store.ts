/** Keeps what is too large for where it belongs. */
export interface BlobStore {
  /**
   * The same key is only ever put with the same bytes, so putting again is harmless.
   * @param key `A-Z a-z 0-9 - _ . /`; no empty, `.` or `..` segment
   * Rejects with AppError `STORE_UNAVAILABLE`.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is none (any more). Rejects with AppError `STORE_UNAVAILABLE`. */
  get(key: string): Promise<Uint8Array | null>;
}
