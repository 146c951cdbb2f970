import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { parseStatusSet } from '../../../nodes/http-request/send.ts';

describe('a set of statuses', () => {
  test.each<[readonly JsonValue[], number, boolean]>([
    [[404], 404, true],
    [['404'], 404, true],
    [[404], 405, false],
    [['200-299', 404], 200, true],
    [['200-299', 404], 299, true],
    [['200-299', 404], 300, false],
    [['200-299', 404], 404, true],
    [['100-999'], 999, true],
    [[], 200, false],
  ])('%j: %d is in it: %p', (list, status, isIn) => {
    expect(parseStatusSet('p', list)(status)).toBe(isIn);
  });

  test.each<[JsonValue, string]>([
    ['4xx', 'string'],
    ['', 'string'],
    ['299-200', 'string'],
    ['200-', 'string'],
    ['99-200', 'string'],
    [99, 'number'],
    [1_000, 'number'],
    [404.5, 'number'],
    [null, 'null'],
    [true, 'boolean'],
    [[404], 'array'],
  ])('%j is refused with its place', (item, type) => {
    expect(() => parseStatusSet('successStatus', [200, item])).toThrow(
      new TypeError(
        `Parameter "successStatus/1" must be a status such as 404 or a range such as "200-299", got ${type}`,
      ),
    );
  });
});
