import { describe, expect, test } from '@jest/globals';
import { computeRetryDelay, inlineSteps } from '../../lib/engine/steps.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

describe('the delay before another attempt', () => {
  test.each([
    ['no retry', undefined, 1, null],
    ['the last attempt', { maxAttempts: 3 }, 3, null],
    ['the first failure', { maxAttempts: 3 }, 1, 1_000],
    ['the second failure', { maxAttempts: 3 }, 2, 2_000],
    ['an interval of its own', { maxAttempts: 3, intervalSeconds: 0.5 }, 1, 500],
    ['a rate of its own', { maxAttempts: 9, backoffRate: 3 }, 3, 9_000],
    ['the bound', { maxAttempts: 99, maxDelaySeconds: 10 }, 50, 10_000],
  ])('%s', (_case, retry, attempt, delay) => {
    expect(computeRetryDelay(retry, attempt)).toBe(delay);
  });

  test.each([
    ['a failure that is not retryable', { isRetryable: false, retryAfterMs: 5_000 }, null],
    ['a shorter one that the failure asks for', { retryAfterMs: 500 }, 1_000],
    ['a longer one', { retryAfterMs: 5_000 }, 5_000],
    ['one beyond the bound', { retryAfterMs: 3_600_000 }, 60_000],
  ])('%s', (_case, failure, delay) => {
    expect(computeRetryDelay({ maxAttempts: 3 }, 1, failure)).toBe(delay);
  });
});

describe('inline steps', () => {
  test('are attempted until one attempt succeeds', async () => {
    const { clock, run } = aVirtualClock();
    const result = await run(
      inlineSteps(clock).run({
        name: 'call/0',
        retry: { maxAttempts: 4, intervalSeconds: 10 },
        attempt: async (number) =>
          number < 3 ? { failure: { name: 'Error', message: 'busy' } } : { outputs: { main: { number } } },
      }),
    );
    expect(result).toEqual({ outputs: { main: { number: 3 } }, attempts: 3 });
  });
});
