import { expect, test } from '@jest/globals';
import { cacheBlobs } from '../../../lib/adapters/blobs/cache-blobs.ts';
import type { BlobStore } from '../../../lib/executions/record/blob-store.ts';
import { describeBlobStore } from '../../support/blob-store-suite.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

describeBlobStore('a memory of what was read', () => cacheBlobs(inMemoryBlobs()));

const counted = (maxBytes?: number) => {
  const stored = inMemoryBlobs();
  const read: string[] = [];
  const counting: BlobStore = {
    ...stored,
    get: (key) => {
      read.push(key);
      return stored.get(key);
    },
  };
  return { read, stored, blobs: cacheBlobs(counting, maxBytes) };
};

test('caches what it reads', async () => {
  const { read, blobs } = counted();
  await blobs.put('a', new Uint8Array(10));
  await blobs.get('a');
  await blobs.get('a');
  expect(read).toEqual(['a']);
});

test('does not cache what it only writes: another process may overwrite it', async () => {
  const { stored, blobs } = counted();
  await blobs.put('a', new Uint8Array([1]));
  await stored.put('a', new Uint8Array([2]));
  expect([...((await blobs.get('a')) ?? [])]).toEqual([2]);
});

test('reads again what it has overwritten', async () => {
  const { blobs } = counted();
  await blobs.put('a', new Uint8Array([1]));
  await blobs.get('a');
  await blobs.put('a', new Uint8Array([2]));
  expect([...((await blobs.get('a')) ?? [])]).toEqual([2]);
});

test('evicts the oldest entry when it is full', async () => {
  const { read, blobs } = counted(25);
  for (const key of ['a', 'b', 'c']) await blobs.put(key, new Uint8Array(10));
  for (const key of ['a', 'b', 'c', 'c', 'a']) await blobs.get(key);
  expect(read).toEqual(['a', 'b', 'c', 'a']);
});
