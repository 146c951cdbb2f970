import { buffer } from 'node:stream/consumers';
import type { BlobStore, BlobStreams, LifeDays } from '../../lib/executions/record/blob-store.ts';

interface Stored {
  readonly bytes: Uint8Array;
  readonly life: LifeDays;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Whether a blob of this age is gone, in milliseconds. */
export type Expires = (key: string, life: LifeDays, ageMs: number) => boolean;

/** Keeps copies; for ever, unless it is said when a blob expires. */
export const inMemoryBlobs = (
  now: () => number = Date.now,
  expires: Expires = () => false,
): BlobStore & BlobStreams & { keys(): string[]; lifeOf(key: string): LifeDays | undefined } => {
  const blobs = new Map<string, Stored>();
  const find = (key: string): Stored | undefined => {
    const stored = blobs.get(key);
    if (stored === undefined || !expires(key, stored.life, now() - stored.at)) return stored;
    blobs.delete(key);
    return undefined;
  };
  return {
    put: async (key, bytes) => {
      blobs.set(key, { bytes: Uint8Array.from(bytes), life: null, at: now() });
    },
    get: async (key) => {
      const stored = find(key);
      return stored === undefined ? null : Uint8Array.from(stored.bytes);
    },
    keep: async (key, life) => {
      const stored = find(key);
      if (stored !== undefined) blobs.set(key, { ...stored, life });
    },
    remove: async (key) => {
      blobs.delete(key);
    },
    putStream: async (key, content, life = null) => {
      blobs.set(key, { bytes: await buffer(content), life, at: now() });
    },
    getStream: async (key) => {
      const stored = find(key);
      return stored === undefined ? null : toStream(stored.bytes);
    },
    keys: () => [...blobs.keys()].filter((key) => find(key) !== undefined),
    lifeOf: (key) => find(key)?.life,
  };
};

const toStream = async function* (bytes: Uint8Array) {
  yield bytes;
};
