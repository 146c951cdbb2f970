import { describe, expect, test } from '@jest/globals';
import { passedPlace, type RequestRecord, refusedPlace } from '../../lib/webhooks/requests/request-record.ts';
import type { RequestQuery, RequestStore } from '../../lib/webhooks/requests/request-store.ts';
import { aRequestRecord, RECEIVED_AT as T0 } from './a-request-record.ts';

const MINUTE = 60_000;

const refused = (minute: number, slot: number): RequestRecord => {
  const receivedAt = T0 + minute * MINUTE;
  return aRequestRecord({ receivedAt, place: refusedPlace(receivedAt, slot) });
};

const passed = (receivedAt: number, id: string): RequestRecord =>
  aRequestRecord({ receivedAt, place: passedPlace(receivedAt, id), verdict: 'skipped', refusal: null });

/**
 * The contract of {@link RequestStore}.
 *
 * @param create - makes an empty one, at the time of the records
 */
export const describeRequestStore = (name: string, create: () => RequestStore | Promise<RequestStore>) => {
  const placesOf = async (store: RequestStore, query: Partial<RequestQuery>): Promise<string[]> => {
    const places: string[] = [];
    const all = { workflowId: 'shop', kind: 'refused', from: 0, to: T0 + 3_600_000 } as const;
    for await (const { place } of store.scan({ ...all, ...query })) places.push(place);
    return places;
  };

  describe(`${name} keeps requests`, () => {
    test('of any size unchanged, separately for each workflow', async () => {
      const store = await create();
      const large = aRequestRecord({ place: 'r20231114T2213-08', body: 'ö "x"\n'.repeat(1_000) });
      expect([await store.put(aRequestRecord()), await store.put(large)]).toEqual([true, true]);
      expect(await store.find('shop', 'r20231114T2213-07')).toEqual(aRequestRecord());
      expect(await store.find('shop', 'r20231114T2213-08')).toEqual(large);
      expect(await store.find('other', 'r20231114T2213-07')).toBeNull();
      expect(await store.find('shop', 'r20231114T2213-09')).toBeNull();
    });

    test('one at each place: the first stays', async () => {
      const store = await create();
      const all = await Promise.all(
        ['a', 'b', 'c'].map((requestId) => store.put(aRequestRecord({ requestId }))),
      );
      expect(all.filter(Boolean)).toHaveLength(1);
      const kept = await store.find('shop', 'r20231114T2213-07');
      expect(kept?.requestId).toBe(['a', 'b', 'c'][all.indexOf(true)]);
    });

    test('and stores nothing again at a place that is filled', async () => {
      const store = await create();
      const filling = aRequestRecord({ workflowId: '*' });
      for (let times = 0; times < 2; times++) await store.fill(filling);
      expect(await placesOf(store, {})).toEqual([]);
      expect(await store.put(aRequestRecord())).toBe(true);
    });

    test('and finds refused ones by minute and others by time, the latest first', async () => {
      const store = await create();
      const records = [refused(0, 59), refused(1, 0), refused(1, 31), passed(T0, 'a'), passed(T0 + 1, 'b')];
      for (const record of records) await store.put(record);
      const [first, second, third, fourth, fifth] = records.map(({ place }) => place);
      expect(await placesOf(store, {})).toEqual([third, second, first]);
      expect(await placesOf(store, { from: T0 + MINUTE })).toEqual([third, second]);
      expect(await placesOf(store, { to: T0 })).toEqual([first]);
      expect(await placesOf(store, { kind: 'passed' })).toEqual([fifth, fourth]);
      expect(await placesOf(store, { kind: 'passed', from: T0 + 1, to: T0 + 1 })).toEqual([fifth]);
      expect(await placesOf(store, { workflowId: 'other' })).toEqual([]);
    });

    test('and reads more than one page', async () => {
      const store = await create();
      for (let at = 0; at < 130; at++) await store.put(passed(T0 + at, 'x'));
      expect(await placesOf(store, { kind: 'passed' })).toHaveLength(130);
    });
  });
};
