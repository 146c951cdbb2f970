import type { LifeDays } from '../record/blob-store.ts';

/** An object to upload in one request, described before the request is sent. */
export interface UploadObject {
  /** Key of the object in the `BlobStore`. */
  readonly key: string;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** SHA-256 of the file, as 64 hexadecimal digits. */
  readonly sha256: string;
}

/** A request that a caller sends directly to the store, with the bytes as its body. */
interface SignedRequest {
  readonly method: 'PUT';
  /** URL of the upload, which is a secret until it expires. */
  readonly url: string;
  /** Headers of the upload, all of them signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Receives files from callers directly, not through the gateway. An uploaded object is *pending*: it is removed after
 * two days unless it is kept. An object is uploaded once: neither its signer nor a later request can change it.
 */
export interface UploadStore {
  /** Size of the largest object, in bytes. */
  readonly maxBytes: number;
  /**
   * Signs the request that uploads an object. The store refuses an object of another size, type or hash, an upload
   * after the time is up, and one of an object that already exists.
   * @param time - `from` in milliseconds since the epoch
   */
  sign(object: UploadObject, time: { readonly from: number; readonly seconds: number }): SignedRequest;
  /**
   * @returns bytes; null if nothing was uploaded, or the object was removed
   * @throws AppError `STORE_UNAVAILABLE`
   */
  findSize(key: string): Promise<number | null>;
  /** Keeps a pending object; repeatable. @throws AppError `STORE_UNAVAILABLE` */
  keep(key: string, life: LifeDays): Promise<void>;
}
