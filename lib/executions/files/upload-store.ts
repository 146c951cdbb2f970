import type { LifeDays } from '../record/blob-store.ts';

/** What is put in one request, fixed before it is sent. */
export interface UploadObject {
  /** As for `BlobStore`. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** A request that a caller makes of the store itself, with the bytes as its body. */
interface SignedRequest {
  readonly method: 'PUT';
  /** A secret until it expires. */
  readonly url: string;
  /** All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes the bytes of files from callers, past the gateway. What is put is *pending*, and removed after two days unless it is
 * kept. An object is put once: neither its signer nor a later request can change it.
 */
export interface UploadStore {
  /** Bytes of the largest object. */
  readonly maxBytes: number;
  /**
   * Signs the request that puts an object. The store refuses one with another size, type or hash, after the time is up, and when
   * the object is there.
   *
   * @param time - `from` in milliseconds since the epoch
   */
  sign(object: UploadObject, time: { readonly from: number; readonly seconds: number }): SignedRequest;
  /**
   * @returns bytes; null when nothing was put, or it was removed
   * @throws AppError `STORE_UNAVAILABLE`
   */
  findSize(key: string): Promise<number | null>;
  /** Keeps a pending object; repeatable. @throws AppError `STORE_UNAVAILABLE` */
  keep(key: string, life: LifeDays): Promise<void>;
}
