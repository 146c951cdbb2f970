import { describe, expect, test } from '@jest/globals';
import type { CallLimitStore } from '../../lib/credentials/limits/call-limits.ts';

/** The contract of {@link CallLimitStore}. @param create - makes one without any limit */
export const describeCallLimitStore = (
  name: string,
  create: () => CallLimitStore | Promise<CallLimitStore>,
): void => {
  const slot = { now: 1_000, latest: 9_000, intervalMs: 100, knownNextAt: null };

  describe(`${name} keeps limits on calls out`, () => {
    test('slots follow each other, whatever a sandbox knows of the last', async () => {
      const store = await create();
      expect(await store.reserve('a', slot)).toBe(1_000);
      expect(await store.reserve('a', slot)).toBe(1_100);
      expect(await store.reserve('a', { ...slot, knownNextAt: 1_200 })).toBe(1_200);
      expect(await store.reserve('a', { ...slot, knownNextAt: 1_300 })).toBe(1_300);
      expect(await store.reserve('b', slot)).toBe(1_000);
      expect(await store.reserve('a', { ...slot, now: 1_400 })).toBe(1_400);
      expect(await store.reserve('a', { ...slot, now: 5_000, knownNextAt: 6_000 })).toBe(5_000);
      expect((await store.find('a')).nextAt).toBe(5_100);
    });

    test('each of ten callers at the same time gets a slot of its own', async () => {
      const store = await create();
      const slots = await Promise.all(Array.from({ length: 10 }, () => store.reserve('a', slot)));
      const expected = Array.from({ length: 10 }, (_, at) => 1_000 + at * 100);
      expect(slots.sort((one, other) => Number(one) - Number(other))).toEqual(expected);
    });

    test('a slot that is of no use is not reserved', async () => {
      const store = await create();
      await store.reserve('a', { ...slot, intervalMs: 5_000 });
      expect(await store.reserve('a', { ...slot, latest: 5_999 })).toBeNull();
      expect(await store.reserve('a', { ...slot, latest: 5_999, knownNextAt: 6_000 })).toBeNull();
      expect(await store.reserve('a', { ...slot, latest: 6_000 })).toBe(6_000);
    });

    test('a place is taken once, until it is left or expires', async () => {
      const store = await create();
      const place = { number: 3, until: 2_000 };
      expect(await store.enter('a', place, 1_000)).toEqual({ held: null });
      expect(await store.enter('a', { ...place, until: 3_000 }, 1_999)).toBeNull();
      expect(await store.enter('a', { number: 4, until: 2_000 }, 1_999)).toEqual({ held: null });
      expect(await store.find('a')).toEqual({
        nextAt: 0,
        startedAt: 0,
        pausedUntil: 0,
        places: new Map([
          [3, 2_000],
          [4, 2_000],
        ]),
        held: null,
      });
      expect(await store.enter('a', { ...place, until: 3_000 }, 2_000)).toEqual({ held: null });
      await store.leave('a', place, { ms: 1, at: 2_100 });
      expect(await store.enter('a', { ...place, until: 4_000 }, 2_500)).toBeNull();
      const held = { ms: 600, at: 2_600 };
      await store.leave('a', { ...place, until: 3_000 }, held);
      expect(await store.enter('a', { ...place, until: 4_000 }, 2_700)).toEqual({ held });
      await store.leave('a', { ...place, until: 4_000 }, null);
      expect((await store.find('a')).held).toEqual(held);
    });

    test('all calls wait until a pause ends, and none ends it', async () => {
      const store = await create();
      await store.pause('a', 4_000, 1_000);
      expect(await store.reserve('a', slot)).toBe(4_000);
      await store.pause('a', 3_000, 1_000);
      expect(await store.find('a')).toMatchObject({ nextAt: 4_100, pausedUntil: 4_000 });
      await store.pause('a', 4_050, 1_000);
      expect(await store.find('a')).toMatchObject({ nextAt: 4_100, pausedUntil: 4_050 });
      expect(await store.enter('a', { number: 0, until: 9_000 }, 4_049)).toBeNull();
      expect(await store.enter('a', { number: 0, until: 9_000 }, 4_050)).not.toBeNull();
    });

    test('a slot may be of use later than it is asked for', async () => {
      const store = await create();
      expect(await store.reserve('a', { ...slot, earliest: 3_000 })).toBe(3_000);
      expect(await store.reserve('a', slot)).toBe(3_100);
      expect(await store.find('a')).toMatchObject({ nextAt: 3_200, startedAt: 1_000 });
    });

    test('slots that start in the future are not added to, and stay as they are', async () => {
      const store = await create();
      const latest = 900_000;
      await store.reserve('a', { ...slot, now: 241_000, latest });
      for (const knownNextAt of [null, 241_100])
        expect(await store.reserve('a', { ...slot, latest, knownNextAt })).toBeNull();
      expect(await store.find('a')).toMatchObject({ nextAt: 241_100, startedAt: 241_000 });
      expect(await store.reserve('a', { ...slot, now: 236_000, latest })).toBe(241_100);
    });

    test('a pause that starts in the future makes no call wait, and the next one replaces it', async () => {
      const store = await create();
      await store.pause('a', 270_000, 240_000);
      expect(await store.enter('a', { number: 0, until: 9_000 }, 1_000)).not.toBeNull();
      await store.pause('a', 31_000, 1_000);
      expect(await store.find('a')).toMatchObject({ nextAt: 31_000, pausedUntil: 31_000, startedAt: 1_000 });
      expect(await store.enter('a', { number: 1, until: 9_000 }, 1_000)).toBeNull();
    });
  });
};
