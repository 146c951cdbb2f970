import { promises as files } from 'node:fs'; // like the other folder stores
import type { UploadStore } from '../../executions/files/upload-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { createAskS3 } from './ask-s3.ts';
import { nullIfMissing, orUnavailable, toBlobPath } from './blob-files.ts';

/** Uploads in the same folder as the folder blob store, where nothing expires. The local service puts them there. */
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

/**
 * Uploads as objects in a bucket. An upload is pending as long as it has the tag, so that keeping it copies no bytes.
 * @param call - bound to the host of the bucket
 */
export const createS3UploadStore = (
  call: CallAws,
  parts: Pick<UploadStore, 'maxBytes' | 'sign'>,
): UploadStore => {
  const ask = createAskS3(call);
  return {
    ...parts,
    findSize: async (key) => {
      const { status, headers } = await ask({ method: 'HEAD', path: `/${key}` }, [404]);
      return status === 404 ? null : Number(headers['content-length']);
    },
    keep: async (key, life) => (await import('./tag-life.chunk.ts')).tagLife(ask, key, life),
  };
};
