import { expect, test } from '@jest/globals';
import { withinDeadline } from '../../lib/plugins/within-deadline.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

test('returns what the work returns, and leaves no timer behind', async () => {
  const { clock, run, pending } = aVirtualClock();
  expect(await run(withinDeadline(clock, 50, async () => 'done'))).toBe('done');
  expect(pending()).toBe(0);
});

test('throws what the work throws, and leaves no timer behind', async () => {
  const { clock, run, pending } = aVirtualClock();
  const work = withinDeadline(clock, 50, () => {
    throw new Error('broken');
  });
  await expect(run(work)).rejects.toThrow('broken');
  expect(pending()).toBe(0);
});

test('gives up at the deadline, and aborts the work', async () => {
  const { clock, run } = aVirtualClock();
  const startedAt = clock.now();
  let signal: AbortSignal | undefined;
  const work = withinDeadline(clock, 50, (given) => {
    signal = given;
    return new Promise(() => {});
  });
  await expect(run(work)).rejects.toThrow('no result within 50 ms');
  expect(signal?.reason).toEqual(new Error('no result within 50 ms'));
  expect(clock.now() - startedAt).toBe(50);
});

test('does not abort work that was done in time', async () => {
  const { clock, run } = aVirtualClock();
  let signal: AbortSignal | undefined;
  await run(
    withinDeadline(clock, 50, (given) => {
      signal = given;
    }),
  );
  expect(signal?.aborted).toBe(false);
});

test('work that fails after its deadline breaks nothing', async () => {
  const { clock, run } = aVirtualClock();
  const late = async () => {
    await clock.sleep(80);
    throw new Error('too late');
  };
  await expect(run(withinDeadline(clock, 50, late))).rejects.toThrow('no result within 50 ms');
  await run(clock.sleep(100));
});
