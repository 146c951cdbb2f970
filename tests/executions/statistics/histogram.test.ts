import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addDuration,
  countDurations,
  findPercentile,
  fromNumbers,
  type Histogram,
  mergeHistogram,
  toNumbers,
} from '../../../lib/executions/statistics/histogram.ts';

const of = (durations: readonly number[]): Histogram => {
  const histogram: Histogram = new Map();
  for (const ms of durations) addDuration(histogram, ms);
  return histogram;
};

/** Nearest rank. */
const exact = (durations: readonly number[], share: number): number =>
  durations.toSorted((a, b) => a - b)[Math.ceil(durations.length * share) - 1] ?? Number.NaN;

/** Milliseconds and years alike. */
const anyDuration = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 366 * 86_400_000 }),
);
const someDurations = fc.array(anyDuration, { minLength: 1, maxLength: 200 });

test('a percentile is within the stated error of the exact one, and half a millisecond', () => {
  fc.assert(
    fc.property(someDurations, fc.constantFrom(0.5, 0.95, 0.01, 1), (durations, share) => {
      const wanted = exact(durations, share);
      const found = findPercentile(of(durations), share) ?? Number.NaN;
      expect(Math.abs(found - wanted)).toBeLessThanOrEqual(wanted * 0.05 + 0.5);
    }),
    { numRuns: 1_000 },
  );
});

test('parts that are merged are the whole', () => {
  fc.assert(
    fc.property(someDurations, someDurations, (some, others) => {
      const merged = of(some);
      mergeHistogram(merged, of(others));
      expect(new Map([...merged].sort())).toEqual(new Map([...of([...some, ...others])].sort()));
      expect(countDurations(merged)).toBe(some.length + others.length);
    }),
  );
});

test('what is stored is read as it was, and is small however far durations are apart', () => {
  fc.assert(
    fc.property(fc.array(anyDuration, { maxLength: 1_000 }), (durations) => {
      const histogram = of(durations);
      expect(fromNumbers(toNumbers(histogram))).toEqual(new Map([...histogram].sort(([a], [b]) => a - b)));
      expect(histogram.size).toBeLessThan(250);
    }),
  );
});

test.each([
  ['nothing', [], null],
  ['one of no time', [0], 0],
  ['a clock that was set back', [-5], 0],
  ['no number', [Number.NaN], 0],
])('the median of %s', (_case, durations, median) => {
  expect(findPercentile(of(durations), 0.5)).toBe(median);
});

test('a duration longer than any execution is in the last bucket', () => {
  expect([...of([Number.MAX_VALUE, Number.POSITIVE_INFINITY]).values()]).toEqual([2]);
});
