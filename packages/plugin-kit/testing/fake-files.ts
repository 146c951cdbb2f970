import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Files, FileValue } from '../contract/files.ts';

export interface FakeFiles extends Files {
  /** The content of each saved file, by its `$file`. */
  readonly saved: ReadonlyMap<string, Uint8Array>;
  /** Saves a file that the node under test reads. */
  add(content: string | Uint8Array, about?: Partial<Pick<FileValue, 'name' | 'mediaType'>>): FileValue;
}

/** Creates a store that keeps files in memory. */
export const createFakeFiles = (): FakeFiles => {
  const saved = new Map<string, Uint8Array>();
  const keep: FakeFiles['add'] = (content, about = {}) => {
    const { name = 'file', mediaType = 'application/octet-stream' } = about;
    const bytes = Buffer.from(content);
    const $file = `file-${saved.size + 1}`;
    saved.set($file, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { $file, name, mediaType, size: bytes.byteLength, sha256 };
  };
  return {
    saved,
    add: keep,
    save: async (content, about) => keep(await buffer(content), about),
    open: async ({ $file }) => {
      const bytes = saved.get($file);
      if (bytes === undefined) throw new Error(`there is no file "${$file}"`);
      return toStream(bytes);
    },
  };
};

/** Streams bytes in chunks of 64 kB, as from a network. */
export async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = 65_536;
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}
