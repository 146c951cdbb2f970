import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findQuiet } from '../../../lib/health/silence/find-quiet.ts';
import { cases } from '../../support/deep.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 30, 12);

/** Hours with requests: each `every` hours, from so many hours ago until so many hours ago. */
const hours = (from: number, until: number, every = 1): readonly number[] =>
  Array.from({ length: Math.floor((from - until) / every) + 1 }, (_, at) => NOW - (from - at * every) * HOUR);

const quiet = (given: readonly number[], since = 0) => findQuiet({ hours: given, since }, NOW);

describe('a webhook that had requests each hour', () => {
  test('is silent a day after the last one, since the end of its hour', () => {
    expect(quiet(hours(500, 26))).toEqual({ since: NOW - 25 * HOUR, longestGapHours: 0 });
    expect(quiet(hours(500, 25))).toBeNull();
  });

  test('is silent only when it has been enabled for so long', () => {
    expect(quiet(hours(500, 100), NOW - DAY)).toBeNull();
    expect(quiet(hours(500, 100), NOW - DAY - 1)).toMatchObject({ since: NOW - DAY - 1 });
  });

  test('has no history before it had requests in 20 hours, and over a week', () => {
    expect(quiet(hours(400, 58, 18))).toMatchObject({ longestGapHours: 17 });
    expect(quiet(hours(400, 76, 18))).toBeNull();
    expect(quiet(hours(28 + 7 * 24, 28))).not.toBeNull();
    expect(quiet(hours(27 + 7 * 24, 28))).toBeNull();
  });
});

test('a pause is silence when it is more than twice as long as the longest one before', () => {
  const weekend = [...hours(600, 420), ...hours(360, 180)]; // 59 hours without any between them
  const at = (ago: number) => [...weekend, ...hours(170, ago)];
  expect(quiet(at(119))).toBeNull();
  expect(quiet(at(120))).toEqual({ since: NOW - 119 * HOUR, longestGapHours: 59 });
});

test('a webhook without any history is not silent', () => {
  expect(quiet([])).toBeNull();
});

const aHistory = fc.array(fc.integer({ min: 0, max: 800 }), { maxLength: 300 });

test('a silence is longer than a day and than twice each pause of the history, whatever the order of its hours', () => {
  fc.assert(
    fc.property(aHistory, (ago) => {
      const given = ago.map((hour) => NOW - hour * HOUR);
      const found = quiet(given);
      expect(quiet(given.toReversed())).toEqual(found);
      if (found === null) return;
      const gap = NOW - found.since;
      expect(gap).toBeGreaterThan(DAY);
      expect(gap).toBeGreaterThan(2 * found.longestGapHours * HOUR);
      expect(given.filter((hour) => hour >= found.since)).toEqual([]);
    }),
    { numRuns: cases(200, 5_000) },
  );
});

test('a request ends the silence', () => {
  fc.assert(
    fc.property(aHistory, fc.integer({ min: 0, max: 23 }), (ago, recent) => {
      expect(quiet([...ago, recent].map((hour) => NOW - hour * HOUR))).toBeNull();
    }),
    { numRuns: cases(200, 5_000) },
  );
});
