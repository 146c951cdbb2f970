import { expect, test } from '@jest/globals';
import { describeError } from '../../lib/plugins/describe-error.ts';

test.each<[string, unknown, string]>([
  ['the message of an error', new Error('no vendor'), 'no vendor'],
  ['the name of one without a message', new TypeError(), 'TypeError'],
  ['a text', 'no vendor', 'no vendor'],
  ['a number', 7, '7'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a symbol', Symbol('odd'), 'Symbol(odd)'],
  ['nothing but white space', ' \n ', 'an error without a message'],
  ['an object without a prototype', Object.create(null), 'an error that cannot be described'],
  ['500 characters, whole', 'x'.repeat(500), 'x'.repeat(500)],
  ['501 characters, cut', 'x'.repeat(501), `${'x'.repeat(499)}…`],
])('describes %s', (_case, thrown, description) => {
  expect(describeError(thrown)).toBe(description);
});

test('leaves the stack out, even of a message that contains one', () => {
  const outer = new Error(String(new Error('inner').stack));
  expect(describeError(outer)).toBe('Error: inner');
});
