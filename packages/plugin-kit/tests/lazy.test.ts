import { expect, test } from '@jest/globals';
import { lazy } from '../tools/lazy.ts';

test('all concurrent callers share one load', async () => {
  let loads = 0;
  const find = lazy(async () => {
    loads += 1;
    return {};
  });
  const [first, second] = await Promise.all([find(), find()]);
  expect(first).toBe(second);
  expect(await find()).toBe(first);
  expect(loads).toBe(1);
});

test('a failed load is retried by the next caller', async () => {
  const answers = [Promise.reject(new Error('EMFILE')), Promise.resolve('loaded')];
  const find = lazy(async () => answers.shift());
  await expect(Promise.allSettled([find(), find()])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(await find()).toBe('loaded');
});
