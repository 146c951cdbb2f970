import { describe, expect, test } from '@jest/globals';
import {
  computeRetryDelay,
  createOperationBudget,
  inlineSteps,
  OperationLimitError,
} from '../../lib/engine/steps.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

describe('the delay before another attempt', () => {
  test.each([
    ['no retry', undefined, 1, null],
    ['the last attempt', { maxAttempts: 3 }, 3, null],
    ['the first failure', { maxAttempts: 3 }, 1, 1_000],
    ['the second failure', { maxAttempts: 3 }, 2, 2_000],
    ['an interval of its own', { maxAttempts: 3, intervalSeconds: 0.5 }, 1, 500],
    ['a rate of its own', { maxAttempts: 9, backoffRate: 3 }, 3, 9_000],
    ['the default bound', { maxAttempts: 99 }, 50, 60_000],
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

test('an operation budget refuses what exceeds it, and lists the others', () => {
  const budget = createOperationBudget(2);
  budget.take('a/0');
  budget.take('b/0');
  expect(() => budget.take('c/0')).toThrow(
    new OperationLimitError('the execution needs more than the 2 durable operations that are allowed'),
  );
  expect(budget).toMatchObject({ limit: 2, taken: ['a/0', 'b/0'] });
  expect(new OperationLimitError('no').name).toBe('OperationLimit');
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

  const failing = (signal?: AbortSignal) => {
    const { clock, run } = aVirtualClock();
    const startedAt = clock.now();
    const attempts: number[] = [];
    const result = inlineSteps(clock).run({
      name: 'call/0',
      retry: { maxAttempts: 3 },
      attempt: async (number) => {
        attempts.push(number);
        return { failure: { name: 'Error', message: 'busy' } };
      },
      ...(signal === undefined ? {} : { signal }),
    });
    return run(result).then((settled) => ({
      ...settled,
      made: attempts,
      elapsedMs: clock.now() - startedAt,
    }));
  };

  test('return the last failure, without a delay after it', async () => {
    expect(await failing()).toEqual({
      failure: { name: 'Error', message: 'busy' },
      attempts: 3,
      made: [1, 2, 3],
      elapsedMs: 3_000,
    });
  });

  test('are not attempted again once nobody needs their result', async () => {
    expect(await failing(AbortSignal.abort())).toMatchObject({ attempts: 1, made: [1], elapsedMs: 0 });
  });

  test('cannot wait for an answer', async () => {
    const { clock } = aVirtualClock();
    await expect(inlineSteps(clock).callback('ask/0/0', 60)).rejects.toThrow(
      'only a durable run can wait for an answer; this run ends with its process',
    );
  });
});
