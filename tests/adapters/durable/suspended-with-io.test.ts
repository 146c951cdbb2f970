import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';

describe('a run that is suspended with pending I/O', () => {
  /** Longer than the 20 ms after which the SDK takes a run for idle. */
  const SDK_IDLE_MS = 60;
  /** Turns of the event loop in which a millisecond of the SDK's time passes: its work counts, not the machine's speed. */
  const TURNS_PER_MS = 100;
  let isOver = false;
  beforeEach(() => {
    const doNotFake = ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] as const;
    jest.useFakeTimers({ doNotFake: [...doNotFake] });
    const pass = (turns: number): void => {
      if (isOver) return;
      if (turns % TURNS_PER_MS === 0) jest.advanceTimersByTime(1);
      setImmediate(pass, turns + 1);
    };
    pass(1);
  });
  afterEach(() => {
    isOver = true;
    jest.useRealTimers();
  });

  test('is resumed at once, and finds its results', async () => {
    const text = Array.from({ length: 400_000 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const service = await aBackgroundService({
      call: () => ({ text }),
      // Slower than the SDK's idle timer, whose time passes here.
      blobs: (blobs) => ({
        ...blobs,
        get: async (key) => {
          await jest.advanceTimersByTimeAsync(SDK_IDLE_MS);
          return blobs.get(key);
        },
      }),
    });
    // One item waits for an answer; the other one has a large result to read, and then something to do.
    await service.put(
      aFlow({
        nodes: [
          { id: 'each', type: 'forEach', parameters: { items: [true, false], maxConcurrency: 2 } },
          { id: 'which', type: 'if', parameters: { condition: '{{ item }}' } },
          { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } },
          { id: 'large', type: 'call' },
          { id: 'after', type: 'call' },
        ],
        edges: [
          'start -> each',
          'each.each -> which',
          'which.true -> ask',
          'which.false -> large',
          'large -> after',
        ],
      }),
    );
    await service.accept();
    const answered: string[][] = [];
    const run = await service.run('e-1', {
      saboteur: { isFatal: () => false },
      answer: () => {
        answered.push([...service.called]);
        return { decision: 'approve', body: {} };
      },
    });
    expect(run.status).toBe('succeeded');
    // All that could be done was done before the answer came, and once.
    expect(answered[0]).toEqual(['each/0/1/large/0', 'each/0/1/after/0']);
    expect(service.called).toHaveLength(2);
    expect(run.invocations).toBeGreaterThan(2);
    // None of them was a crash.
    expect((await service.executions.find('e-1'))?.crashes).toBe(0);
  });
});
