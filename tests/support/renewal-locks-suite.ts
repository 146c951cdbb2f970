import { describe, expect, test } from '@jest/globals';
import type { RenewalLocks } from '../../lib/credentials/outbound/ports.ts';

/** The contract of {@link RenewalLocks}. @param create - makes them without any lock */
export const describeRenewalLocks = (
  name: string,
  create: () => RenewalLocks | Promise<RenewalLocks>,
): void => {
  describe(`${name} locks the renewal of a secret`, () => {
    test('for one holder, until it is released', async () => {
      const locks = await create();
      expect(await locks.take('crm', { holder: 'a', until: 200, isWriting: false }, 100)).toBe(true);
      expect(await locks.find('crm')).toEqual({ holder: 'a', until: 200, isWriting: false, refusal: null });
      expect(await locks.take('crm', { holder: 'b', until: 300, isWriting: false }, 199)).toBe(false);
      expect(await locks.take('other', { holder: 'b', until: 300, isWriting: false }, 199)).toBe(true);
      await locks.release('crm', 'a', 150, null);
      expect(await locks.take('crm', { holder: 'b', until: 300, isWriting: false }, 199)).toBe(true);
    });

    test('until it expires, and then not for its first holder', async () => {
      const locks = await create();
      await locks.take('crm', { holder: 'a', until: 200, isWriting: false }, 100);
      expect(await locks.take('crm', { holder: 'b', until: 300, isWriting: false }, 200)).toBe(true);
      await locks.release('crm', 'a', 250, { reason: 'late', revision: 1 });
      expect(await locks.take('crm', { holder: 'c', until: 300, isWriting: false }, 299)).toBe(false);
      expect(await locks.find('crm')).toMatchObject({ holder: 'b', refusal: null });
    });

    test('and keeps a refusal until the next one', async () => {
      const locks = await create();
      const refusal = { reason: 'invalid_grant', revision: 3 };
      await locks.take('crm', { holder: 'a', until: 200, isWriting: false }, 100);
      await locks.release('crm', 'a', 120, refusal);
      expect(await locks.find('crm')).toMatchObject({ refusal });
      expect(await locks.take('crm', { holder: 'b', until: 300, isWriting: false }, 150)).toBe(true);
      await locks.release('crm', 'b', 200, null);
      expect(await locks.find('crm')).toMatchObject({ refusal: null });
    });

    test('that an edit takes over from its holder, who may then not write', async () => {
      const locks = await create();
      const edit = { holder: 'edit', until: 300, isWriting: true };
      await locks.take('crm', { holder: 'a', until: 200, isWriting: false }, 100);
      expect(await locks.take('crm', edit, 110)).toBe(false);
      expect(await locks.takeOver('crm', edit, 110)).toBe(true);
      expect(await locks.beginWriting('crm', { holder: 'a', until: 400 })).toBe(false);
      expect(await locks.find('crm')).toEqual({ ...edit, refusal: null });
    });

    test('that nobody takes over while its holder writes, until it expires or is released', async () => {
      const locks = await create();
      const edit = { holder: 'edit', until: 900, isWriting: true };
      await locks.take('crm', { holder: 'a', until: 200, isWriting: false }, 100);
      expect(await locks.beginWriting('crm', { holder: 'a', until: 400 })).toBe(true);
      expect(await locks.find('crm')).toEqual({ holder: 'a', until: 400, isWriting: true, refusal: null });
      expect(await locks.takeOver('crm', edit, 399)).toBe(false);
      expect(await locks.takeOver('crm', edit, 400)).toBe(true);
      await locks.release('crm', 'edit', 500, null);
      expect(await locks.takeOver('crm', { ...edit, holder: 'b' }, 501)).toBe(true);
    });

    test('for one of ten at the same time', async () => {
      const locks = await create();
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          locks.take('crm', { holder: `holder ${at}`, until: 200, isWriting: false }, 100),
        ),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
    });
  });
};
