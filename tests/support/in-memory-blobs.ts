import { buffer } from 'node:stream/consumers';
import type { BlobStreams } from '../../lib/executions/files/blob-streams.ts';
import type { BlobStore } from '../../lib/executions/record/blob-store.ts';

/** Keeps copies. */
export const inMemoryBlobs = (): BlobStore & BlobStreams & { keys(): string[] } => {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (key, bytes) => {
      blobs.set(key, Uint8Array.from(bytes));
    },
    get: async (key) => {
      const bytes = blobs.get(key);
      return bytes === undefined ? null : Uint8Array.from(bytes);
    },
    putStream: async (key, content) => {
      blobs.set(key, await buffer(content));
    },
    getStream: async (key) => {
      const bytes = blobs.get(key);
      return bytes === undefined ? null : toStream(bytes);
    },
    keys: () => [...blobs.keys()],
  };
};

const toStream = async function* (bytes: Uint8Array) {
  yield bytes;
};
