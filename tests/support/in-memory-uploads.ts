import type { UploadStore } from '../../lib/executions/files/upload-store.ts';
import type { BlobStore } from '../../lib/executions/record/blob-store.ts';

/** Signs nothing: a test puts the bytes into the blobs itself, under the key that the URL has. */
export const inMemoryUploads = (blobs: BlobStore): UploadStore & { readonly kept: string[] } => {
  const kept: string[] = [];
  return {
    kept,
    maxBytes: 1_000_000,
    sign: ({ key, size }, { from, seconds }) => ({
      method: 'PUT',
      url: `https://bucket.test/${key}?until=${from + seconds * 1_000}`,
      headers: { 'content-length': String(size) },
    }),
    findSize: async (key) => (await blobs.get(key))?.byteLength ?? null,
    keep: async (key, life) => {
      kept.push(key);
      await blobs.keep(key, life);
    },
  };
};
