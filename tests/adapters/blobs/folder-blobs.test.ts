import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createFolderBlobStore, createFolderBlobStreams } from '../../../lib/adapters/blobs/folder-blobs.ts';
import { isAppError } from '../../../lib/shared/errors.ts';
import { describeBlobStore } from '../../support/blob-store-suite.ts';
import { describeBlobStreams, someContent } from '../../support/blob-streams-suite.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

const root = mkdtempSync(join(tmpdir(), 'hookloom-blobs-'));
afterAll(() => rmSync(root, { recursive: true }));
const aFolder = () => mkdtempSync(join(root, 'f-'));

describeBlobStore('the memory', inMemoryBlobs);
describeBlobStore('a folder', () => createFolderBlobStore(aFolder()));
describeBlobStreams('the memory', inMemoryBlobs);
describeBlobStreams('a folder', () => createFolderBlobStreams(aFolder()));

describe('a folder', () => {
  test.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', '', '.', 'a/.', 'a b', 'a\\b'])(
    'has no blob under %j',
    async (key) => {
      const store = createFolderBlobStore(aFolder());
      await expect(store.put(key, new Uint8Array())).rejects.toThrow('not the key of a blob');
      await expect(store.get(key)).rejects.toThrow('not the key of a blob');
      const streams = createFolderBlobStreams(aFolder());
      await expect(streams.putStream(key, someContent(0))).rejects.toThrow('not the key of a blob');
      await expect(streams.getStream(key)).rejects.toThrow('not the key of a blob');
    },
  );

  test('leaves no half-written file behind', async () => {
    const folder = aFolder();
    await createFolderBlobStore(folder).put('x', new Uint8Array(10));
    expect(readdirSync(folder)).toEqual(['x']);
  });

  test('leaves nothing behind when the content breaks', async () => {
    const folder = aFolder();
    const breaking = async function* () {
      yield new Uint8Array(10);
      throw new Error('the source broke');
    };
    await expect(createFolderBlobStreams(folder).putStream('x', breaking())).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('shows the previous blob while the next one is written', async () => {
    const folder = aFolder();
    const streams = createFolderBlobStreams(folder);
    await streams.putStream('x', someContent(3));
    const meanwhile: unknown[] = [];
    const content = async function* () {
      yield new Uint8Array(10);
      meanwhile.push((await createFolderBlobStore(folder).get('x'))?.length);
      yield new Uint8Array(10);
    };
    await streams.putStream('x', content());
    expect(meanwhile).toEqual([3]);
  });

  test('that is not accessible makes the store unavailable', async () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    const store = createFolderBlobStore(file);
    const streams = createFolderBlobStreams(file);
    const ends = await Promise.allSettled([
      store.put('a/b', new Uint8Array()),
      store.get('a/b'),
      streams.putStream('a/b', someContent(1)),
      streams.getStream('a/b'),
    ]);
    for (const end of ends)
      expect(end.status === 'rejected' && isAppError(end.reason, 'STORE_UNAVAILABLE')).toBe(true);
  });
});
