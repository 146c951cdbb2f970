import { expect, test } from '@jest/globals';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';

test('I/O is pending until it has settled', async () => {
  const pendingIo = createPendingIo();
  const fetched = Promise.withResolvers<number>();
  const failing = Promise.withResolvers<number>();
  const works = [pendingIo.track(fetched.promise), pendingIo.track(failing.promise).catch(() => 0)];
  expect(pendingIo.isPending).toBe(true);
  const settled = pendingIo.allSettled();
  fetched.resolve(1);
  failing.reject(new Error('no'));
  await settled;
  expect(await Promise.all(works)).toEqual([1, 0]);
  expect(pendingIo.isPending).toBe(false);
});
