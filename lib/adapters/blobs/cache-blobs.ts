import type { BlobStore } from '../../executions/record/blob-store.ts';

/** What one sandbox keeps of blobs that it has read. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Keeps what was read last, for as long as the process lives: a run that goes on reads the same blobs again. Only what
 * was read is kept, never what was written: until somebody points to it, it may be written again by another process.
 */
export const cacheBlobs = (blobs: BlobStore, maxBytes = MAX_BYTES): BlobStore => {
  const known = new Map<string, Uint8Array>();
  let bytes = 0;

  const remember = (key: string, blob: Uint8Array): void => {
    known.set(key, blob);
    bytes += blob.length;
    for (const [oldest, { length }] of known) {
      if (bytes <= maxBytes) return;
      known.delete(oldest);
      bytes -= length;
    }
  };

  return {
    put: (key, blob) => {
      bytes -= known.get(key)?.length ?? 0;
      known.delete(key);
      return blobs.put(key, blob);
    },
    get: async (key) => {
      const before = known.get(key);
      if (before !== undefined) return before;
      const blob = await blobs.get(key);
      if (blob !== null && !known.has(key)) remember(key, blob);
      return blob;
    },
  };
};
