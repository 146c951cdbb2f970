import { expect, test } from '@jest/globals';
import { toOperationName } from '../../../lib/adapters/durable/operation-name.ts';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';

test('a name that the engine takes stays as it is', () => {
  expect(toOperationName('each/0/3/call/0')).toBe('each/0/3/call/0');
  expect(toOperationName('x'.repeat(256))).toBe('x'.repeat(256));
});

test('a name that is too long keeps its start, and differs where it differed', () => {
  const [a, b] = ['a', 'b'].map((end) => toOperationName(`${'x'.repeat(300)}${end}`));
  expect(a).toHaveLength(256);
  expect(a).toMatch(/^x{200}/);
  expect(a).not.toBe(b);
});

test('who has something on its way is busy, until it is there or has failed', async () => {
  const busy = createPendingIo();
  const fetched = Promise.withResolvers<number>();
  const failing = Promise.withResolvers<number>();
  const works = [busy.track(fetched.promise), busy.track(failing.promise).catch(() => 0)];
  expect(busy.isPending).toBe(true);
  const idle = busy.whenIdle();
  fetched.resolve(1);
  failing.reject(new Error('no'));
  await idle;
  expect(await Promise.all(works)).toEqual([1, 0]);
  expect(busy.isPending).toBe(false);
});
