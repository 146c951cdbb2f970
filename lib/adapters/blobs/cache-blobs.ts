import type { BlobStore } from '../../executions/record/blob-store.ts';

/** Size of the cache in one sandbox. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Caches the most recently read blobs for the life of the process, since a resumed run reads the same ones again.
 * Written blobs are not cached: until a record refers to one, another process may overwrite it.
 */
export const cacheBlobs = (blobs: BlobStore, maxBytes = MAX_BYTES): BlobStore => {
  const cached = new Map<string, Uint8Array>();
  let bytes = 0;

  const add = (key: string, blob: Uint8Array): void => {
    cached.set(key, blob);
    bytes += blob.length;
    for (const [oldest, { length }] of cached) {
      if (bytes <= maxBytes) return;
      cached.delete(oldest);
      bytes -= length;
    }
  };

  const forget = (key: string): void => {
    bytes -= cached.get(key)?.length ?? 0;
    cached.delete(key);
  };

  return {
    put: (key, blob) => {
      forget(key);
      return blobs.put(key, blob);
    },
    keep: blobs.keep,
    remove: (key) => {
      forget(key);
      return blobs.remove(key);
    },
    get: async (key) => {
      const hit = cached.get(key);
      if (hit !== undefined) return hit;
      const blob = await blobs.get(key);
      if (blob !== null && !cached.has(key)) add(key, blob);
      return blob;
    },
  };
};
