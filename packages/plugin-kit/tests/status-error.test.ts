import { describe, expect, test } from '@jest/globals';
import { findProblem, readRetryAfter } from '../tools/status-error.ts';

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
    [
      '2026-11-06T08:50:37Z',
      'Fri, 06 Nov 2026 08:50:37',
      'Fri, 99 Nov 2026 08:50:37 GMT',
      'Fri, 31 Nov 2026 08:50:37 GMT',
    ],
  ])('%j is ignored', (...values) => {
    for (const value of values) expect(readRetryAfter(503, { 'retry-after': value }, now)).toBe(undefined);
  });

  test('is read only for 429 and 503', () => {
    for (const status of [200, 301, 408, 500])
      expect(readRetryAfter(status, { 'retry-after': '5' }, now)).toBe(undefined);
    expect(readRetryAfter(503, {}, now)).toBe(undefined);
  });
});

test.each([
  ['GitHub', { message: 'Not Found', documentation_url: 'https://docs.example' }, 'Not Found'],
  ['OpenAI', { error: { message: 'no such model', type: 'invalid_request_error' } }, 'no such model'],
  ['OAuth', { error: 'invalid_grant', error_description: 'it is expired' }, 'it is expired'],
  ['OAuth without a description', { error: 'invalid_grant' }, 'invalid_grant'],
  ['problem details', { title: 'Conflict', detail: 'order 7 is paid' }, 'order 7 is paid'],
  ['GraphQL', { data: null, errors: [{ message: 'no field "x"' }, { message: 'b' }] }, 'no field "x"'],
  ['several lines', { message: ' a\r\n\tb ' }, 'a b'],
  ['a long one', { message: 'x'.repeat(301) }, 'x'.repeat(300)],
])('finds the message of %s', (_case, body, expected) => {
  expect(findProblem(body)).toBe(expected);
});

test.each([
  [undefined],
  [null],
  ['<p>text'],
  [[]],
  [{}],
  [{ message: 7 }],
  [{ message: ' ' }],
  [{ error: { error: { error: { error: { error: 'too deep' } } } } }],
])('finds nothing in %j', (body) => {
  expect(findProblem(body)).toBe(null);
});
