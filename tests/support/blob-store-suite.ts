import { describe, expect, test } from '@jest/globals';
import type { BlobStore } from '../../lib/executions/record/blob-store.ts';

/** The contract of {@link BlobStore}. @param create - makes an empty one */
export const describeBlobStore = (name: string, create: () => BlobStore | Promise<BlobStore>) => {
  describe(`${name} keeps blobs`, () => {
    test('returns the same bytes, and null for an unknown key', async () => {
      const store = await create();
      const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
      await store.put('executions/e-1/input', bytes);
      expect(Buffer.from((await store.get('executions/e-1/input')) ?? []).equals(Buffer.from(bytes))).toBe(
        true,
      );
      expect(await store.get('executions/e-1/result')).toBeNull();
    });

    test('overwrites a blob', async () => {
      const store = await create();
      await store.put('a/b', new Uint8Array([1]));
      await store.put('a/b', new Uint8Array([2, 3]));
      expect([...((await store.get('a/b')) ?? [])]).toEqual([2, 3]);
    });

    test('removes a blob, even a missing one; keeps one for a given time, but not a missing one', async () => {
      const store = await create();
      await store.put('a/b', new Uint8Array([1]));
      for (const life of [4, null] as const) await store.keep('a/b', life);
      expect(await store.get('a/b')).toHaveLength(1);
      for (const _ of [1, 2]) await store.remove('a/b');
      expect(await store.get('a/b')).toBeNull();
      await store.keep('a/b', 4);
      expect(await store.get('a/b')).toBeNull();
    });

    test('stores empty content as empty', async () => {
      const store = await create();
      await store.put('empty', new Uint8Array());
      expect(await store.get('empty')).toHaveLength(0);
    });
  });
};
