/** Stores values that are too large for their record or checkpoint. */
export interface BlobStore {
  /**
   * Idempotent, since a key is only ever put with the same bytes.
   *
   * @param key - `A-Z a-z 0-9 - _ . /`; no empty, `.` or `..` segment
   * @throws AppError `STORE_UNAVAILABLE`
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * @returns null when there is none, or it has expired
   * @throws AppError `STORE_UNAVAILABLE`
   */
  get(key: string): Promise<Uint8Array | null>;
}
