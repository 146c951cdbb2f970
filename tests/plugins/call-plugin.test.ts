import { expect, test } from '@jest/globals';
import { describeError, withinDeadline } from '../../lib/plugins/call-plugin.ts';
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

test.each<[string, unknown, string]>([
  ['the message of an error', new Error('no vendor'), 'no vendor'],
  ['the name of one without a message', new TypeError(), 'TypeError'],
  ['a text', 'no vendor', 'no vendor'],
  ['a number', 7, '7'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a symbol', Symbol('odd'), 'Symbol(odd)'],
  ['nothing but white space', ' \n ', 'an error without a message'],
  ['an object without a prototype', Object.create(null), 'an error that cannot be described'],
  ['500 characters, whole', 'x'.repeat(500), 'x'.repeat(500)],
  ['501 characters, cut', 'x'.repeat(501), `${'x'.repeat(499)}…`],
])('describes %s', (_case, thrown, description) => {
  expect(describeError(thrown)).toBe(description);
});

test('leaves the stack out, even of a message that contains one', () => {
  const outer = new Error(String(new Error('inner').stack));
  expect(describeError(outer)).toBe('Error: inner');
});
