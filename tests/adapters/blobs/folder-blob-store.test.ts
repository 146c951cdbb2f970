import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createFolderBlobStore } from '../../../lib/adapters/blobs/folder-blob-store.ts';
import { isAppError } from '../../../lib/shared/errors.ts';
import { describeBlobStore } from '../../support/blob-store-suite.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

const root = mkdtempSync(join(tmpdir(), 'hookloom-blobs-'));
afterAll(() => rmSync(root, { recursive: true }));
const aFolder = () => mkdtempSync(join(root, 'f-'));

describeBlobStore('the memory', inMemoryBlobs);
describeBlobStore('a folder', () => createFolderBlobStore(aFolder()));

describe('a folder', () => {
  test.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', '', '.', 'a/.', 'a b', 'a\\b'])(
    'has no blob under %j',
    async (key) => {
      const store = createFolderBlobStore(aFolder());
      await expect(store.put(key, new Uint8Array())).rejects.toThrow('no key of a blob');
      await expect(store.get(key)).rejects.toThrow('no key of a blob');
    },
  );

  test('leaves nothing half written behind', async () => {
    const folder = aFolder();
    await createFolderBlobStore(folder).put('x', new Uint8Array(10));
    expect(readdirSync(folder)).toEqual(['x']);
  });

  test('that can not be had is a store that can not be had', async () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    const store = createFolderBlobStore(file);
    const error = await store.put('a/b', new Uint8Array()).catch((thrown: unknown) => thrown);
    expect(isAppError(error, 'STORE_UNAVAILABLE')).toBe(true);
  });
});
