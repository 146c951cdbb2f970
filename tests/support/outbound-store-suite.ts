import { describe, expect, test } from '@jest/globals';
import type {
  OutboundCredential,
  OutboundCredentialStore,
} from '../../lib/credentials/outbound/outbound-credential.ts';

export const anOutboundCredential = (changes: Partial<OutboundCredential> = {}): OutboundCredential => ({
  id: 'crm',
  type: 'httpBasic',
  fields: { username: 'ann' },
  hosts: ['crm.example.com'],
  reference: 'ssm:/test/credentials/crm',
  revision: 1,
  ...changes,
});

/** The contract of {@link OutboundCredentialStore}. @param create - makes an empty one */
export const describeOutboundStore = (
  name: string,
  create: () => OutboundCredentialStore | Promise<OutboundCredentialStore>,
): void => {
  describe(`${name} keeps outbound credentials`, () => {
    test('a stored one is found and listed until it is removed', async () => {
      const store = await create();
      expect(await store.find('crm')).toBeNull();
      await store.put(anOutboundCredential());
      await store.put(anOutboundCredential({ revision: 2, fields: {} }));
      expect(await store.find('crm')).toEqual(anOutboundCredential({ revision: 2, fields: {} }));
      expect(await store.list()).toEqual([anOutboundCredential({ revision: 2, fields: {} })]);
      const removed = [];
      for (const revision of [1, 2, 2]) removed.push(await store.remove({ id: 'crm', revision }));
      expect(removed).toEqual([false, true, false]);
      expect(await store.list()).toEqual([]);
    });

    test('the end of a refresh token is noted and forgotten, without another revision or credential', async () => {
      const store = await create();
      const tokenEnd = { at: '2027-01-31T09:00:00.000Z', isTold: true };
      await store.put(anOutboundCredential());
      await store.noteTokenEnd('crm', tokenEnd);
      await store.noteTokenEnd('gone', tokenEnd);
      expect(await store.list()).toEqual([anOutboundCredential({ tokenEnd })]);
      await store.noteTokenEnd('crm', null);
      expect(await store.list()).toEqual([anOutboundCredential()]);
    });

    test.each([
      ['a first revision of what exists', [1], 1],
      ['a revision that skips one', [1], 3],
      ['a second revision of what does not exist', [], 2],
    ])('%s is refused', async (_case, before, revision) => {
      const store = await create();
      for (const earlier of before) await store.put(anOutboundCredential({ revision: earlier }));
      await expect(store.put(anOutboundCredential({ revision }))).rejects.toMatchObject({
        code: 'CREDENTIAL_CHANGED',
      });
    });
  });
};
