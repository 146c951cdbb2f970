import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { AppError } from '../../shared/errors.ts';

/** What a key may be: nothing that leads out of the folder. */
const KEY = /^(?!\/)(?:(?:^|\/)(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;

/** Blobs in a folder of this machine, one file each: for the local service. */
export const createFolderBlobStore = (folder: string): BlobStore => {
  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error(`"${key}" is no key of a blob`);
    return join(folder, key);
  };
  return {
    put: async (key, bytes) => {
      const path = pathOf(key);
      // Written beside, then moved: nobody reads half of it, and a crash leaves none.
      const temporary = `${path}.${randomUUID()}.tmp`;
      await fromFolder(mkdir(dirname(path), { recursive: true }));
      await fromFolder(writeFile(temporary, bytes));
      await fromFolder(rename(temporary, path));
    },
    get: async (key) => {
      const path = pathOf(key);
      return fromFolder(
        readFile(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        }),
      );
    },
  };
};

const fromFolder = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (cause) {
    throw new AppError('STORE_UNAVAILABLE', {}, cause);
  }
};
