import { describe, expect, test } from '@jest/globals';
import type { BackgroundMode } from '../../lib/workflows/definition/definition.ts';
import { aModelledLambda, type LambdaQuotas, type Started } from '../support/overload/modelled-lambda.ts';

const HOUR = 3_600_000;

const aLambda = (
  quotas: Partial<LambdaQuotas> = {},
  starts: (executionId: string) => Started = () => 'begun',
) => {
  let now = 0;
  let isDown = false;
  const started: (readonly [second: number, executionId: string])[] = [];
  const buried: string[] = [];
  const lambda = aModelledLambda({
    clock: { now: () => now },
    quotas: {
      overQuota: 'fifo',
      startsPerSecond: 3,
      concurrency: 1_000,
      maxEventAgeMs: 6 * HOUR,
      ...quotas,
    },
    durationMs: 1_000,
    isDown: () => isDown,
    start: async (executionId) => {
      started.push([now / 1_000, executionId]);
      return starts(executionId);
    },
    bury: (executionId) => void buried.push(executionId),
  });
  return {
    ...lambda,
    started,
    buried,
    setDown: (value: boolean) => {
      isDown = value;
    },
    dispatchAll: async (ids: string, mode: BackgroundMode = 'durable') => {
      for (const id of ids) await lambda.dispatcher.dispatch(id, mode);
    },
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await lambda.tick();
        now += 1_000;
      }
    },
  };
};

describe('a modelled Lambda', () => {
  test('starts as many durable executions a second as its quota allows, in order', async () => {
    const lambda = aLambda();
    await lambda.dispatchAll('abcdefg');
    await lambda.pass(3);
    expect(lambda.started.map(([second, id]) => `${second}${id}`).join(' ')).toBe('0a 0b 0c 1d 1e 1f 2g');
  });

  test('starts less than one a second where the quota is scaled that far', async () => {
    const lambda = aLambda({ startsPerSecond: 0.5 });
    await lambda.dispatchAll('abc');
    await lambda.pass(6);
    expect(lambda.started.map(([second]) => second)).toEqual([1, 3, 5]);
  });

  test('runs no more at once than its concurrency', async () => {
    const lambda = aLambda({ concurrency: 2 });
    await lambda.dispatchAll('abcd', 'express');
    await lambda.pass(1);
    expect(lambda.started).toHaveLength(2);
  });

  test('identifies a durable execution by its name', async () => {
    const lambda = aLambda();
    await lambda.dispatchAll('aa');
    await lambda.dispatcher.dispatch('a', 'durable', 1); // again under the name of the first one
    await lambda.pass(2);
    expect(lambda.started).toHaveLength(1);
    await lambda.dispatcher.dispatch('a', 'durable', 2);
    await lambda.pass(2);
    expect(lambda.started).toHaveLength(2);
  });

  test('refuses what exceeds its quota where told to', async () => {
    const lambda = aLambda({ overQuota: 'refuse' });
    await lambda.dispatchAll('abc');
    await expect(lambda.dispatchAll('d')).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
    await lambda.pass(1);
    await lambda.dispatchAll('d');
  });

  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
  test('retries throttled invocations after 1 s, then twice as long each time, up to 5 min', async () => {
    const lambda = aLambda({ overQuota: 'backoff', startsPerSecond: 0 });
    await lambda.dispatchAll('a');
    const tries: number[] = [];
    for (let second = 0; second < 2_000; second++) {
      await lambda.pass(1);
      const next = lambda.nextDue() ?? 0;
      if (next !== tries.at(-1)) tries.push(next);
    }
    const delays = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    const most = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
    expect(delays.length).toBeGreaterThan(most.length);
    for (const [at, max] of most.entries()) {
      expect(delays[at]).toBeGreaterThanOrEqual(max / 2);
      expect(delays[at]).toBeLessThanOrEqual(max + 1); // a second begun
    }
  });

  test('retries a failing run after one minute and after two, then gives it up', async () => {
    const lambda = aLambda({}, () => 'failed');
    await lambda.dispatchAll('a', 'express');
    await lambda.pass(200);
    expect(lambda.started.map(([second]) => second)).toEqual([0, 60, 180]);
    expect(lambda.buried).toEqual(['a']);
  });

  test.each(['fifo', 'backoff'] as const)('gives up an event that is too old (%s)', async (overQuota) => {
    const lambda = aLambda({ overQuota, maxEventAgeMs: 60_000, startsPerSecond: 0.01 });
    await lambda.dispatchAll('abc');
    await lambda.pass(400);
    expect([...lambda.buried].sort().join('')).toBe(lambda.started.length === 0 ? 'abc' : 'bc');
  });

  test('starts nothing while it is down, and refuses everything', async () => {
    const lambda = aLambda();
    await lambda.dispatchAll('a');
    lambda.setDown(true);
    await expect(lambda.dispatchAll('b')).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
    await lambda.pass(5);
    expect(lambda.started).toEqual([]);
    lambda.setDown(false);
    await lambda.pass(1);
    expect(lambda.started).toEqual([[5, 'a']]);
  });
});
