import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { BlobStreams } from '../../lib/executions/record/blob-store.ts';

/** Content of this many bytes, in chunks of another size. */
export const someContent = async function* (bytes: number, chunkBytes = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += chunkBytes)
    yield Uint8Array.from({ length: Math.min(chunkBytes, bytes - at) }, (_, index) => (at + index) % 251);
};

/** All bytes of a blob that is there. */
export const readBlob = async (streams: BlobStreams, key: string): Promise<Buffer> => {
  const content = await streams.getStream(key);
  if (content === null) throw new Error(`there is no blob ${key}`);
  return buffer(content);
};

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const key = 'executions/e-1/files/node/0.1';

/**
 * The contract of {@link BlobStreams}.
 *
 * @param create - makes an empty one
 * @param partBytes - sizes around this one are special to the store
 */
export const describeBlobStreams = (
  name: string,
  create: () => BlobStreams | Promise<BlobStreams>,
  partBytes = 10_000,
) => {
  describe(`${name} streams blobs`, () => {
    test.each([0, 1, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes, 3 * partBytes + 7])(
      'of %d bytes',
      async (size) => {
        const streams = await create();
        await streams.putStream(key, someContent(size));
        const read = await readBlob(streams, key);
        expect(read).toHaveLength(size);
        expect(hashOf(read)).toBe(hashOf(await buffer(someContent(size))));
      },
    );

    test('and returns null for an unknown key', async () => {
      expect(await (await create()).getStream(key)).toBeNull();
    });

    test('and replaces existing content', async () => {
      const streams = await create();
      await streams.putStream(key, someContent(3 * partBytes));
      await streams.putStream(key, someContent(5));
      expect(await readBlob(streams, key)).toHaveLength(5);
    });

    test.each([5, partBytes + 5])(
      'and keeps the existing content when a stream breaks after %d bytes',
      async (size) => {
        const streams = await create();
        await streams.putStream(key, someContent(3));
        const breaking = async function* () {
          yield* someContent(size);
          throw new Error('the source broke');
        };
        await expect(streams.putStream(key, breaking())).rejects.toThrow();
        expect(await readBlob(streams, key)).toHaveLength(3);
      },
    );
  });
};
