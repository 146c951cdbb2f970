import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { longestTimerMs, systemClock } from '../../../lib/adapters/runtime/system-clock.ts';

describe('the system clock', () => {
  // The timers of the platform are the one thing here that a test can't wait for.
  beforeEach(() => void jest.useFakeTimers({ now: 1_000 }));
  afterEach(() => void jest.useRealTimers());

  test('returns the machine’s time', async () => {
    expect(systemClock.now()).toBe(1_000);
    await jest.advanceTimersByTimeAsync(5);
    expect(systemClock.now()).toBe(1_005);
  });

  test('sleeps until the time has passed', async () => {
    let awake = false;
    const sleep = systemClock.sleep(100).then(() => {
      awake = true;
    });
    await jest.advanceTimersByTimeAsync(99);
    expect(awake).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await sleep;
    expect(awake).toBe(true);
  });

  test('sleeps longer than one timer can', async () => {
    let awake = false;
    const sleep = systemClock.sleep(longestTimerMs + 10).then(() => {
      awake = true;
    });
    await jest.advanceTimersByTimeAsync(longestTimerMs);
    expect(awake).toBe(false);
    await jest.advanceTimersByTimeAsync(10);
    await sleep;
  });

  test('wakes on an abort, with its reason, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const sleep = systemClock.sleep(100, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('does not sleep when already aborted', async () => {
    const reason = new Error('enough');
    await expect(systemClock.sleep(100, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('leaves no listener on a signal that outlives the sleep', async () => {
    const { signal } = new AbortController();
    const sleep = systemClock.sleep(100, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(100);
    await sleep;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
