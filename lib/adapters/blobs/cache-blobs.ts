import type { BlobStore } from '../../executions/record/blob-store.ts';
import { LruMap } from '../../shared/cache.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Caches the most recently read blobs for the life of the process, since a resumed run reads the same ones again.
 * Written blobs are not cached: until a record refers to one, another process may overwrite it.
 */
export const cacheBlobs = (blobs: BlobStore, maxBytes = MAX_BYTES): BlobStore => {
  const cached = new LruMap<string, Uint8Array>(maxBytes, (_, blob) => blob.length);
  return {
    put: (key, blob) => {
      cached.delete(key);
      return blobs.put(key, blob);
    },
    keep: blobs.keep,
    remove: (key) => {
      cached.delete(key);
      return blobs.remove(key);
    },
    get: async (key) => {
      const hit = cached.get(key);
      if (hit !== undefined) return hit;
      const blob = await blobs.get(key);
      if (blob !== null) cached.set(key, blob);
      return blob;
    },
  };
};
