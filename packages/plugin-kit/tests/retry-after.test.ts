import { describe, expect, test } from '@jest/globals';
import { readRetryAfter } from '../tools/retry-after.ts';

const now = Date.parse('2026-11-06T08:49:37Z');

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    ['999999999', 999_999_999_000],
    ['Fri, 06 Nov 2026 08:50:37 GMT', 60_000],
    ['Friday, 06-Nov-26 08:50:37 GMT', 60_000],
    ['Fri, 06 Nov 2026 08:00:00 GMT', 0],
  ])('%j is %d ms', (value, ms) => {
    for (const status of [429, 503]) expect(readRetryAfter(status, { 'retry-after': value }, now)).toBe(ms);
  });

  test.each([
    ['', '-5', '1.5', '1e3', ' 5', '5, 5', '1000000000', 'soon'],
    ['2026-11-06T08:50:37Z', 'Fri, 06 Nov 2026 08:50:37', 'Fri, 99 Nov 2026 08:50:37 GMT'],
  ])('%j is ignored', (...values) => {
    for (const value of values) expect(readRetryAfter(503, { 'retry-after': value }, now)).toBe(undefined);
  });

  test('is read only for 429 and 503', () => {
    for (const status of [200, 301, 408, 500])
      expect(readRetryAfter(status, { 'retry-after': '5' }, now)).toBe(undefined);
    expect(readRetryAfter(503, {}, now)).toBe(undefined);
  });
});
