import { describe, expect, test } from '@jest/globals';
import type { Credential, CredentialStore } from '../../lib/credentials/credential.ts';

const credential = (changes: Partial<Credential> = {}): Credential => ({
  id: 'partner',
  type: 'basic',
  username: 'ann',
  secrets: [
    { id: 's1', createdAt: '2026-01-02T03:04:05.000Z', hash: { algorithm: 'sha256', hash: 'aGFzaA' } },
    {
      id: 's2',
      createdAt: '2026-01-02T03:04:06.000Z',
      hash: { algorithm: 'scrypt', hash: 'aGFzaA', salt: 'c2FsdA', cost: 32768 },
    },
  ],
  revision: 1,
  ...changes,
});

/** The contract of {@link CredentialStore}. @param create - makes an empty one */
export const describeCredentialStore = (
  name: string,
  create: () => CredentialStore | Promise<CredentialStore>,
) => {
  describe(`${name} keeps credentials`, () => {
    test.each(['unknown', '__proto__', 'constructor'])('there is no credential %s', async (id) => {
      expect(await (await create()).find(id)).toBeNull();
    });

    test('a stored one is found', async () => {
      const store = await create();
      await store.put(credential());
      await store.put(credential({ id: 'key', type: 'apiKey', username: null, secrets: [] }));
      expect(await store.find('partner')).toEqual(credential());
      expect(await store.find('key')).toEqual(
        credential({ id: 'key', type: 'apiKey', username: null, secrets: [] }),
      );
    });

    test('only the current revision is removed, and its id can be used again', async () => {
      const store = await create();
      await store.put(credential());
      await store.put(credential({ revision: 2 }));
      const removed = [];
      for (const revision of [1, 2, 2]) removed.push(await store.remove({ id: 'partner', revision }));
      expect(removed).toEqual([false, true, false]);
      await store.put(credential());
      expect(await store.find('partner')).toEqual(credential());
    });

    test('the next revision replaces the previous one', async () => {
      const store = await create();
      await store.put(credential());
      await store.put(credential({ revision: 2, secrets: [] }));
      expect(await store.find('partner')).toEqual(credential({ revision: 2, secrets: [] }));
    });

    test.each([
      ['a first revision of what exists', [1], 1],
      ['a revision that skips one', [1], 3],
      ['a revision that was overtaken', [1, 2], 2],
      ['a second revision of what does not exist', [], 2],
    ])('%s is refused, and nothing is changed', async (_case, before, revision) => {
      const store = await create();
      for (const earlier of before) await store.put(credential({ revision: earlier }));
      const kept = await store.find('partner');
      await expect(store.put(credential({ revision, username: 'eve' }))).rejects.toMatchObject({
        code: 'CREDENTIAL_CHANGED',
      });
      expect(await store.find('partner')).toEqual(kept);
    });

    test('one of many concurrent writers of the same revision wins', async () => {
      const store = await create();
      const writes = Array.from({ length: 8 }, (_, at) => store.put(credential({ username: `user${at}` })));
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect((await store.find('partner'))?.username).toBe(`user${winner}`);
    });

    test('the list has all of them', async () => {
      const store = await create();
      expect(await store.list()).toEqual([]);
      await store.put(credential());
      await store.put(credential({ id: 'another' }));
      const list = (await store.list()).toSorted((a, b) => a.id.localeCompare(b.id));
      expect(list).toEqual([credential({ id: 'another' }), credential()]);
    });
  });
};
