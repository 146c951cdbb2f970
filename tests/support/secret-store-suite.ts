import { describe, expect, test } from '@jest/globals';
import type { SecretStore } from '../../lib/credentials/outbound/secret-store.ts';

/** The contract of {@link SecretStore}. @param create - makes an empty one */
export const describeSecretStore = (name: string, create: () => SecretStore | Promise<SecretStore>): void => {
  describe(`${name} keeps secrets`, () => {
    test('a stored one is returned by its reference, which stays the same', async () => {
      const store = await create();
      const reference = await store.put('crm', '{"token":"ä"}');
      expect(reference).toBe(store.referenceOf('crm'));
      expect(await store.get(reference)).toBe('{"token":"ä"}');
      expect(await store.put('crm', 'other')).toBe(reference);
      expect(await store.get(reference)).toBe('other');
    });

    test('a removed one no longer exists, and can be removed again', async () => {
      const store = await create();
      const reference = await store.put('crm', 'secret');
      await store.remove(reference);
      expect(await store.get(reference)).toBeNull();
      await expect(store.remove(reference)).resolves.toBeUndefined();
    });
  });
};
