import { createReadStream } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import type { BlobStreams } from '../../executions/files/blob-streams.ts';
import { nullIfMissing, orUnavailable, replaceFile, toBlobPath } from './blob-files.ts';

/** Blobs of any size, in the same folder as the folder blob store. */
export const createFolderBlobStreams = (folder: string): BlobStreams => ({
  putStream: async (key, content) => {
    const path = toBlobPath(folder, key);
    await orUnavailable(replaceFile(path, (temporary) => writeFile(temporary, content)));
  },
  getStream: async (key) => {
    const path = toBlobPath(folder, key);
    const found = await orUnavailable(access(path).then(() => path, nullIfMissing));
    return found === null ? null : readContent(found);
  },
});

const readContent = async function* (path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = createReadStream(path)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await orUnavailable(chunks.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
};
