import { expect, test } from '@jest/globals';
import { readAt } from '../../../lib/credentials/outbound/read-escapes.ts';

test.each([
  ['%1f', [0x1f, 3]],
  ['\\x41', [0x41, 4]],
  ['\\U0041', [0x41, 6]],
  ['\\u005c', [0x5c, 6]],
  ['\\n', [0x0a, 2]],
  ['&lt;', [0x3c, 4]],
  ['&szlig;', [0xdf, 7]],
  ['&#xffff;', [0xffff, 8]],
])('%s is read verbatim and as a character', (text, reading) => {
  expect(readAt(text, 0)).toEqual([[text.charCodeAt(0), 1], reading]);
});

test.each(['\\', `${'\\'.repeat(16)}n`, '%4', '&x#65;', '&#65x;', '&foo;', '&#x1f600;'])(
  '%s is read verbatim',
  (text) => {
    expect(readAt(text, 0)).toEqual([[text.charCodeAt(0), 1]]);
  },
);

test('nothing is read after the end', () => {
  expect(readAt('', 0)).toEqual([]);
});
