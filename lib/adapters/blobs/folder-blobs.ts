import { randomUUID } from 'node:crypto';
import { createReadStream, promises as files } from 'node:fs'; // `node:fs/promises` takes a millisecond to load, in AWS for nothing
import { dirname, join } from 'node:path';
import type { UploadStore } from '../../executions/files/upload-store.ts';
import type { BlobStore, BlobStreams } from '../../executions/record/blob-store.ts';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

/** Pattern of keys that stay inside the folder. */
const KEY = /^(?!\/)(?:(?:^|\/)(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;

/** @throws Error for a key that would leave the folder */
const toBlobPath = (folder: string, key: string): string => {
  if (!KEY.test(key)) throw new Error(`"${key}" is not the key of a blob`);
  return join(folder, key);
};

/**
 * Writes to a temporary file and renames it: readers and crashes never see half a file.
 * @param mode - of a folder that is made for it
 */
export const replaceFile = async (
  path: string,
  write: (temporary: string) => Promise<void>,
  mode?: number,
): Promise<void> => {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await files.mkdir(dirname(path), { recursive: true, ...(mode === undefined ? {} : { mode }) });
  try {
    await write(temporary);
    await files.rename(temporary, path);
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
};

/** For `catch`: returns null if the file does not exist, and throws any other error. */
export const nullIfMissing = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

const orUnavailable = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (cause) {
    throw new AppError(STORE_UNAVAILABLE, {}, cause);
  }
};

/** Blobs as files in a folder, for the local service. */
export const createFolderBlobStore = (folder: string): BlobStore => ({
  put: async (key, bytes) => {
    const path = toBlobPath(folder, key);
    await orUnavailable(replaceFile(path, (temporary) => files.writeFile(temporary, bytes)));
  },
  get: async (key) => orUnavailable(files.readFile(toBlobPath(folder, key)).catch(nullIfMissing)),
  keep: async () => {}, // nothing expires
  remove: async (key) => orUnavailable(files.rm(toBlobPath(folder, key), { force: true })),
});

/** Blobs of any size, in the same folder as the folder blob store. */
export const createFolderBlobStreams = (folder: string): BlobStreams => ({
  putStream: async (key, content) => {
    const path = toBlobPath(folder, key);
    await orUnavailable(replaceFile(path, (temporary) => files.writeFile(temporary, content)));
  },
  getStream: async (key) => {
    const path = toBlobPath(folder, key);
    const found = await orUnavailable(files.access(path).then(() => path, nullIfMissing));
    return found === null ? null : readContent(found);
  },
});

const readContent = async function* (path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = createReadStream(path)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await orUnavailable(chunks.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
};

/**
 * Stores uploads in the same folder as the folder blob store, where nothing expires. The local service puts them there.
 */
export const createFolderUploadStore = (
  folder: string,
  parts: Pick<UploadStore, 'maxBytes' | 'sign'>,
): UploadStore => ({
  ...parts,
  findSize: (key) => findBlobSize(folder, key),
  keep: async () => {},
});

/** @returns bytes; null if the blob does not exist */
export const findBlobSize = async (folder: string, key: string): Promise<number | null> => {
  const found = await orUnavailable(files.stat(toBlobPath(folder, key)).catch(nullIfMissing));
  return found?.size ?? null;
};
