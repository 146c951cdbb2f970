import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from '../../lib/http/parse-json-body.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { refuseBigNumbers } from '../../lib/shared/refuse-big-numbers.ts';
import { jsonText } from '../support/a-json-text.ts';
import { cases } from '../support/deep.ts';

const errorOf = (text: string): AppError => {
  try {
    parseJsonBody(text, 3);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('was parsed');
};

describe('a JSON body', () => {
  test.each([
    '{"a":[1,null]}',
    '[]',
    '"text"',
    '7',
    'null',
    'true',
    ' {} ',
    '{"constructor":1}',
    '{"a":1e22}',
  ])('is parsed: %s', (text) => {
    expect(parseJsonBody(text, 3)).toEqual(JSON.parse(text));
  });

  test('uses the last of duplicate keys', () => {
    expect(parseJsonBody('{"a":1,"a":2}', 3)).toEqual({ a: 2 });
  });

  test.each([
    '',
    ' ',
    '{',
    "{'a':1}",
    '{"a":1,}',
    'NaN',
    'undefined',
    '01',
    '"\n"',
    '\u00a0{}',
    '{} {}',
    '// a\n{}',
  ])('is refused when it is not JSON: %j', (text) => {
    expect(errorOf(text)).toMatchObject({ code: 'BODY_INVALID', status: 400 });
  });

  test('says where it is not JSON, without quoting it', () => {
    const { message, cause } = errorOf('{"password": "canary" "x": 1}');
    expect(message).toBe('The body is invalid: it is not valid JSON at position 22.');
    expect(cause).toBeUndefined();
  });

  test.each(['1e400', '[-1e400]', '{"a":1e999}'])('is refused when a number overflows: %s', (text) => {
    expect(errorOf(text).message).toMatch(/a number that is too large/);
  });

  test.each<[string, unknown]>([
    ['{"id":8202522731445525542}', { id: '8202522731445525542' }],
    ['[-8202522731445525542]', ['-8202522731445525542']],
    [`{"constructor":${'9'.repeat(400)}}`, { constructor: '9'.repeat(400) }],
  ])("keeps the digits of an integer that a number can't hold: %.40s", (text, value) => {
    expect(parseJsonBody(text, 3)).toEqual(value);
  });

  test.each([
    ['8202522731445525542', 'it'],
    ['{"a":1,"order/s":[{"id":-8202522731445525542}]}', '/order~1s/0/id'],
  ])('can be refused for such an integer, with its place: %s', (text, place) => {
    const refuse = (sent: string) => refuseBigNumbers(sent, parseJsonBody(sent, 3));
    expect(() => refuse(text)).toThrow(
      `The body is invalid: ${place} is an integer beyond ±9007199254740991: send it as a string.`,
    );
    expect(() => refuse(text.replaceAll(/(-?\d{19})/g, '"$1"'))).not.toThrow();
  });

  test.each([
    '{"__proto__":{"polluted":1}}',
    '[{"a":{"__proto__":1}}]',
    '{"\\u005f\\u005fproto\\u005f\\u005f":1}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ])('is refused with a key that could change a prototype: %s', (text) => {
    expect(errorOf(text).message).toMatch(/a key that is not allowed/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('is refused when it is nested too deeply, before it is parsed', () => {
    expect(errorOf('[[[[').code).toBe('BODY_TOO_DEEP');
  });

  test('gives the same value or refusal as a parser that checks every value', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(outcomeOf(() => parseJsonBody(text, 100))).toEqual(outcomeOf(() => parseEveryValue(text)));
      }),
      { numRuns: cases(1_000, 100_000) },
    );
  });
});

/** By the source of every number, and by middy's rules for keys. */
const parseEveryValue = (text: string): unknown =>
  JSON.parse(text, (key, value, { source = '' }: { readonly source?: string } = {}) => {
    const isPrototype =
      key === '__proto__' || (key === 'constructor' && Object.hasOwn(value ?? {}, 'prototype'));
    if (isPrototype) throw new Error('Forbidden key');
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)) return source;
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new Error('overflow');
    return value;
  });

type Outcome = { readonly value: unknown } | { readonly refusal: string };

/** Both parsers' errors, in the same words. */
const outcomeOf = (parse: () => unknown): Outcome => {
  try {
    return { value: parse() };
  } catch (error) {
    const { message, cause } = error as Error & { readonly cause?: { readonly message?: string } };
    const text = `${message} ${cause?.message ?? ''}`;
    if (/Forbidden key|a key that is not allowed/.test(text)) return { refusal: 'key' };
    if (/overflow|a number that is too large/.test(text)) return { refusal: 'number' };
    const [, position = 'none'] = /(?:at position|see the character at) (\d+)/.exec(text) ?? [];
    return { refusal: `not JSON at ${position}` };
  }
};
