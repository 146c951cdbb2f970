import { isPlainObject, type JsonObject } from './json.ts';

/** A value that names bytes in the blob store. Nodes pass it on instead of the bytes. */
export interface FileValue extends JsonObject {
  /** The file's id, made of the execution's id, the node run that saved it, and its number there. Not a secret. */
  readonly $file: string;
  /** File name for people and receivers, without folders. */
  readonly name: string;
  /** Media type of the file, such as `image/png` (RFC 9110 §8.3.1). */
  readonly mediaType: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** SHA-256 of the content, 64 hexadecimal digits. */
  readonly sha256: string;
}

/** The files of one attempt at a node. */
export interface Files {
  /**
   * Saves a file, entirely or not at all. The n-th file of a node run has the same id in every attempt and replaces the
   * one that an earlier attempt saved, so save files in the same order each time.
   * @param content - read once, in constant memory
   * @param about - if the name is a path, only its last part is used; an invalid media type becomes
   * `application/octet-stream`
   * @returns the value to pass on
   * @throws AppError `FILE_TOO_LARGE` | `TOO_MANY_FILES` | `STORE_UNAVAILABLE`, or the error of `content`
   */
  save(
    content: AsyncIterable<Uint8Array>,
    about: { readonly name: string; readonly mediaType: string },
  ): Promise<FileValue>;
  /**
   * Opens a file of this execution, or of one that it retries. The content is checked as it is read: if it is not what
   * the value says, reading throws AppError `FILE_CHANGED` before the last bytes.
   * @throws AppError `FILE_INVALID` | `FILE_NOT_FOUND` | `STORE_UNAVAILABLE`
   */
  open(file: FileValue): Promise<AsyncIterable<Uint8Array>>;
}

/** Matches a SHA-256 hash in hexadecimal digits. */
export const SHA256 = /^[0-9a-f]{64}$/;

/** Whether a value has the shape of a file. What it names may still be missing. */
export const isFileValue = (value: unknown): value is FileValue => {
  if (!isPlainObject(value)) return false;
  const { $file, name, mediaType, size, sha256 } = value;
  return (
    typeof $file === 'string' &&
    typeof name === 'string' &&
    typeof mediaType === 'string' &&
    Number.isSafeInteger(size) &&
    Number(size) >= 0 &&
    typeof sha256 === 'string' &&
    SHA256.test(sha256)
  );
};
