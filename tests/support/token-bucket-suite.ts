import { describe, expect, test } from '@jest/globals';
import { rememberBuckets, type TakeToken } from '../../lib/webhooks/limits/token-bucket.ts';

/** Microseconds since the epoch. */
const NOW = 1_700_000_000_000_000;
const SECOND = 1_000_000;

const bucket = { key: 'b', burst: 3, intervalUs: SECOND };

/** The contract of {@link TakeToken}. @param create - makes it without buckets */
export const describeTokenBuckets = (name: string, create: () => TakeToken | Promise<TakeToken>) => {
  describe(`${name} keeps token buckets`, () => {
    test('a bucket has its maximum of tokens, and regains them one by one', async () => {
      const take = await create();
      const outcomes = [];
      for (const at of [0, 0, 0.5, 0.5, 0.9, 1, 1, 60, 60, 60, 60])
        outcomes.push((await take(bucket, NOW + at * SECOND, null)).isTaken);
      expect(outcomes).toEqual([true, true, true, false, false, true, false, true, true, true, false]);
    });

    test('says when it is full again, whatever was known before', async () => {
      const take = await create();
      expect(await take(bucket, NOW, null)).toEqual({ isTaken: true, fullAt: NOW + SECOND });
      expect(await take(bucket, NOW, NOW + SECOND)).toEqual({ isTaken: true, fullAt: NOW + 2 * SECOND });
      expect(await take(bucket, NOW, NOW + SECOND)).toEqual({ isTaken: true, fullAt: NOW + 3 * SECOND });
      expect(await take(bucket, NOW, NOW + SECOND)).toEqual({ isTaken: false, fullAt: NOW + 3 * SECOND });
      expect(await take(bucket, NOW + 9 * SECOND, NOW + 3 * SECOND)).toEqual({
        isTaken: true,
        fullAt: NOW + 10 * SECOND,
      });
    });

    test('buckets are independent', async () => {
      const take = await create();
      for (const key of ['a', 'a', 'a', 'b', 'b', 'b'])
        expect(await take({ ...bucket, key }, NOW, null)).toMatchObject({ isTaken: true });
    });

    test.each([240, -240])(
      'a sandbox whose clock is %d s ahead blocks no bucket, and takes no more than one more of it',
      async (ahead) => {
        const take = await create();
        const wrong = rememberBuckets(take, 10);
        const others = [rememberBuckets(take, 10), rememberBuckets(take, 10)];
        const taken: number[] = [];
        for (let at = 0; at < 20; at += 0.25)
          for (const [ask, offset] of [[wrong, ahead] as const, ...others.map((one) => [one, 0] as const)])
            if ((await ask(bucket, NOW + (at + offset) * SECOND, null)).isTaken) taken.push(offset);
        const ofOthers = taken.filter((offset) => offset === 0).length;
        expect(ofOthers).toBe(3 + 19); // as many as without the wrong one
        expect(taken.length).toBeLessThanOrEqual(2 * ofOthers + 1); // the first one was of the same bucket
      },
    );

    test('a clock that is set back does not block the bucket for its own process', async () => {
      const take = rememberBuckets(await create(), 10);
      for (let count = 0; count < 4; count++) await take(bucket, NOW + 240 * SECOND, null);
      expect(await take(bucket, NOW, null)).toEqual({ isTaken: true, fullAt: NOW + SECOND });
    });

    // holds: rates-are-exact
    test('of ten concurrent requests, as many are admitted as there are tokens', async () => {
      const take = await create();
      const processes = Array.from({ length: 4 }, () => rememberBuckets(take, 10));
      const takings = await Promise.all(
        Array.from({ length: 10 }, (_, at) => (processes[at % 4] ?? take)(bucket, NOW, null)),
      );
      expect(takings.filter(({ isTaken }) => isTaken)).toHaveLength(bucket.burst);
    });
  });
};
