import { promises as files } from 'node:fs'; // as the other stores of a folder
import type { UploadStore } from '../../executions/files/upload-store.ts';
import { nullIfMissing, orUnavailable, toBlobPath } from './blob-files.ts';

/** Uploads in the folder of a folder's blob store, where nothing expires. The local service puts them there. */
export const createFolderUploadStore = (
  folder: string,
  parts: Pick<UploadStore, 'maxBytes' | 'sign'>,
): UploadStore => ({
  ...parts,
  findSize: (key) => findBlobSize(folder, key),
  keep: async () => {},
});

/** @returns bytes; null for a blob that is not there */
export const findBlobSize = async (folder: string, key: string): Promise<number | null> => {
  const found = await orUnavailable(files.stat(toBlobPath(folder, key)).catch(nullIfMissing));
  return found?.size ?? null;
};
