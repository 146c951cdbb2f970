import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { startSweeps } from '../../../local/engine/start-sweeps.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const TEN_MINUTES_MS = 600_000;

test('the sweepers are invoked by the clock, as when deployed', () => {
  const invoked: string[] = [];
  const sweeps = startSweeps(
    async (name) => void invoked.push(name),
    () => {},
  );
  jest.advanceTimersByTime(TEN_MINUTES_MS);
  sweeps.stop();
  jest.advanceTimersByTime(TEN_MINUTES_MS);
  const count = (name: string) => invoked.filter((one) => one === name).length;
  expect([count('sweep'), count('sweepRegistrations'), invoked.length]).toEqual([20, 2, 22]);
});

test('a sweep that fails is logged, and the next one follows', async () => {
  const lines: string[] = [];
  const fail = () => Promise.reject(new Error('down'));
  const sweeps = startSweeps(fail, (line) => void lines.push(line));
  await jest.advanceTimersByTimeAsync(TEN_MINUTES_MS);
  sweeps.stop();
  expect(lines.filter((line) => line === 'sweepRegistrations: down')).toHaveLength(2);
  expect(lines.filter((line) => line === 'sweep: down')).toHaveLength(20);
});
