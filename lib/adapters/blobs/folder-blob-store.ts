import { randomUUID } from 'node:crypto';
import { promises as files } from 'node:fs'; // `node:fs/promises` takes a millisecond to load, in AWS for nothing
import { dirname, join } from 'node:path';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { AppError } from '../../shared/errors.ts';

/** Keys that stay inside the folder. */
const KEY = /^(?!\/)(?:(?:^|\/)(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;

/** Blobs as files in a folder, for the local service. */
export const createFolderBlobStore = (folder: string): BlobStore => {
  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error(`"${key}" is no key of a blob`);
    return join(folder, key);
  };
  return {
    put: async (key, bytes) => {
      const path = pathOf(key);
      // Written to a temporary file, then renamed: readers and crashes never see half a blob.
      const temporary = `${path}.${randomUUID()}.tmp`;
      await orUnavailable(files.mkdir(dirname(path), { recursive: true }));
      await orUnavailable(files.writeFile(temporary, bytes));
      await orUnavailable(files.rename(temporary, path));
    },
    get: async (key) => {
      const path = pathOf(key);
      return orUnavailable(
        files.readFile(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        }),
      );
    },
  };
};

const orUnavailable = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (cause) {
    throw new AppError('STORE_UNAVAILABLE', {}, cause);
  }
};
