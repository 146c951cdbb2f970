import type { BlobStore } from '../../lib/executions/record/blob-store.ts';

/** Keeps copies. */
export const inMemoryBlobs = (): BlobStore & { keys(): string[] } => {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (key, bytes) => {
      blobs.set(key, Uint8Array.from(bytes));
    },
    get: async (key) => {
      const bytes = blobs.get(key);
      return bytes === undefined ? null : Uint8Array.from(bytes);
    },
    keys: () => [...blobs.keys()],
  };
};
