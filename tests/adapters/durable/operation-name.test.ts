import { expect, test } from '@jest/globals';
import { toOperationName } from '../../../lib/adapters/durable/operation-name.ts';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';

test('a name within the limit is unchanged', () => {
  expect(toOperationName('each/0/3/call/0')).toBe('each/0/3/call/0');
  expect(toOperationName('x'.repeat(256))).toBe('x'.repeat(256));
});

test('long names keep their start and stay distinct', () => {
  const [a, b] = ['a', 'b'].map((end) => toOperationName(`${'x'.repeat(300)}${end}`));
  expect(a).toHaveLength(256);
  expect(a).toMatch(/^x{200}/);
  expect(a).not.toBe(b);
});

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
