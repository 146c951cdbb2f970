import { describe, expect, test } from '@jest/globals';
import type { DeliveryClaim, DeliveryStore } from '../../lib/executions/delivery-store.ts';

const NOW = 1_700_000_000_000;

const claim = (changes: Partial<DeliveryClaim> = {}): DeliveryClaim => ({
  deliveryId: 'd-1',
  executionId: 'e-1',
  bodyHash: 'hash-1',
  claimedAt: NOW,
  until: NOW + 60_000,
  ...changes,
});

/** The contract of {@link DeliveryStore}. @param create - makes an empty one */
export const describeDeliveryStore = (name: string, create: () => DeliveryStore | Promise<DeliveryStore>) => {
  describe(`${name} keeps claims on deliveries`, () => {
    test('a claim is found by its id, valid or not', async () => {
      const store = await create();
      expect(await store.find('d-1')).toBeNull();
      await store.claim(claim({ until: NOW - 1 }));
      expect(await store.find('d-1')).toEqual(claim({ until: NOW - 1 }));
    });

    test('a claim keeps the hashes of its request and its caller', async () => {
      const store = await create();
      const hashes = { requestHash: 'hash-2', caller: 'hash-3' };
      await store.claim(claim(hashes));
      expect(await store.find('d-1')).toEqual(claim(hashes));
    });

    test('the first claim wins', async () => {
      const store = await create();
      expect(await store.claim(claim())).toEqual(claim());
    });

    test('a later one within the window returns the first', async () => {
      const store = await create();
      await store.claim(claim());
      const later = claim({
        executionId: 'e-2',
        bodyHash: 'hash-2',
        claimedAt: NOW + 59_999,
        until: NOW + 119_999,
      });
      expect(await store.claim(later)).toEqual(claim());
    });

    test('one after the window wins', async () => {
      const store = await create();
      await store.claim(claim());
      const later = claim({ executionId: 'e-2', claimedAt: NOW + 60_000, until: NOW + 120_000 });
      expect(await store.claim(later)).toEqual(later);
      expect(await store.claim(claim({ executionId: 'e-3', claimedAt: NOW + 60_001 }))).toEqual(later);
    });

    test('one of many concurrent calls takes over the claim of a failed execution', async () => {
      const store = await create();
      await store.claim(claim());
      const retries = Array.from({ length: 10 }, (_, at) => ({
        ...claim({ executionId: `r-${at}` }),
        retries: 'e-1',
      }));
      const taken = await Promise.all(retries.map((retry) => store.takeOver(retry)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.claim(claim({ executionId: 'e-2' }))).toEqual(retries[taken.indexOf(true)]);
    });

    test('claims on other deliveries are independent', async () => {
      const store = await create();
      await store.claim(claim());
      const other = claim({ deliveryId: 'd-2', executionId: 'e-2' });
      expect(await store.claim(other)).toEqual(other);
    });

    // holds: one-delivery-one-run
    test('one of ten concurrent claims wins, and all return it', async () => {
      const store = await create();
      const claims = Array.from({ length: 10 }, (_, at) => store.claim(claim({ executionId: `e-${at}` })));
      const winners = new Set((await Promise.all(claims)).map(({ executionId }) => executionId));
      expect(winners.size).toBe(1);
    });
  });
};
