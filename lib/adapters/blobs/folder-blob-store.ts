import { promises as files } from 'node:fs'; // `node:fs/promises` takes a millisecond to load, in AWS for nothing
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { nullIfMissing, orUnavailable, replaceFile, toBlobPath } from './blob-files.ts';

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
