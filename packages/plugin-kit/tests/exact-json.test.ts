import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isBigInteger, parseJson, toExactJson } from '../contract/json.ts';
import { readBody } from '../tools/read-body.ts';

/** Each string and each number of a short text; with the sources that `JSON.parse` gives, V8 seldom says nothing of one. */
const parseEveryValue = (text: string): unknown => {
  JSON.parse(text);
  const exact = text.replaceAll(/"(?:[^"\\]|\\.)*"|[-+.\deE]+/g, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return JSON.parse(exact);
};

const outcomeOf = (parse: (text: string) => unknown, text: string): unknown => {
  try {
    return { value: parse(text) };
  } catch (error) {
    return { error: String(error) };
  }
};

describe("an integer that a number can't hold keeps its digits", () => {
  test.each<[string, unknown]>([
    ['{"id":8202522731445525542}', { id: '8202522731445525542' }],
    ['{"id":8202522731445525543}', { id: '8202522731445525543' }],
    ['[9007199254740992,-9007199254740992]', ['9007199254740992', '-9007199254740992']],
    ['[ 18446744073709551615 , 7 ]', ['18446744073709551615', 7]],
    ['-9223372036854775808', '-9223372036854775808'],
    ['{"a\\"":[{"b":[12345678901234567890]}]}', { 'a"': [{ b: ['12345678901234567890'] }] }],
    ['{"a":9007199254740993,"a":9007199254740995}', { a: '9007199254740995' }],
    [`["\\\\",${'9'.repeat(400)}]`, ['\\', '9'.repeat(400)]],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

describe('all else is as the platform parses it', () => {
  test.each([
    '[9007199254740991,-9007199254740991]',
    '[1234567890123456,1234567890123456]',
    '[-0,0,0.1234567890123456789,12345678901234567890.5,12345678901234567890e2,1e400,1.0E-12345678901234567890]',
    '{"12345678901234567890":"12345678901234567890"}',
    '["\\"12345678901234567890","\\\\\\"12345678901234567890,","12345678901234567890\\\\"]',
  ])('%s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
    expect(toExactJson(text)).toBe(text);
  });

  test.each([
    '{12345678901234567890:1}',
    '012345678901234567890',
    '+12345678901234567890',
    '--12345678901234567890',
    '1 12345678901234567890',
    '["a" 12345678901234567890]',
    '["12345678901234567890',
    '12345678901234567890"',
    '12345678901234567890n',
  ])('no JSON stays no JSON, with the same message: %s', (text) => {
    expect(outcomeOf(parseJson, text)).toEqual(outcomeOf(JSON.parse, text));
    expect(outcomeOf(parseJson, text)).toHaveProperty('error');
  });

  test('whatever is around it: a parser that looks at every value says the same', () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.bigInt({ min: 0n, max: 1n << 66n }),
          fc.bigInt({ min: 9_007_199_254_740_980n, max: 9_007_199_254_741_000n }),
        ),
        fc.constantFrom('', '', '', '.25', 'e3', 'E-20'),
      )
      .map((parts) => parts.join(''));
    const string = fc
      .array(fc.constantFrom('\\"', '\\\\', '12345678901234567890', 'a', ',', ':', '{', '-'), {
        maxLength: 6,
      })
      .map((parts) => `"${parts.join('')}"`);
    const { value: json } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        number,
        string,
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
        fc
          .array(fc.tuple(string, tie('value')), { maxLength: 4 })
          .map((fields) => `{${fields.map((field) => field.join(':\n')).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(json, fc.nat(60), fc.constantFrom(0, 0, 1), (whole, at, length) => {
        const text = whole.slice(0, at) + whole.slice(at + length);
        expect(outcomeOf(parseJson, text)).toEqual(outcomeOf(parseEveryValue, text));
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each(['auto', 'json'] as const)('an answer of an HTTP API has them, too, read as %s', (type) => {
  const body = new TextEncoder().encode('{"id":8202522731445525542}');
  const headers = { 'content-type': 'application/json' };
  expect(readBody({ headers, body }, type)).toEqual({ id: '8202522731445525542' });
});

test('as many digits in a row are found wherever they begin', () => {
  for (let before = 0; before < 40; before += 1)
    expect(parseJson(`${' '.repeat(before)}9007199254740993`)).toBe('9007199254740993');
});

test('millions of digits are read, also where V8 does not optimize patterns', () => {
  const module = new URL('../contract/json.ts', import.meta.url).href;
  const code = `import { parseJson } from '${module}'; process.stdout.write(typeof parseJson('9'.repeat(6_000_000)));`;
  const flags = ['--no-regexp-optimization', '--input-type=module'];
  expect(execFileSync(process.execPath, [...flags, '--eval', code]).toString()).toBe('string');
});

test.each<[string, boolean]>([
  ['9007199254740992', true],
  ['-9007199254740992', true],
  ['9007199254740991', false],
  ['', false],
  ['-', false],
  ['00009007199254740993', false],
  ['9007199254740993.0', false],
  ['９007199254740993', false],
])('whether a text is such an integer: %j', (text, isOne) => {
  expect(isBigInteger(text)).toBe(isOne);
});
