import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limitJson } from '../../lib/http/parse-json-body.ts';

const tooMany = expect.objectContaining({ code: 'BODY_INVALID', status: 400 });
const tooDeep = expect.objectContaining({ code: 'BODY_TOO_DEEP', status: 400 });

/** Levels of lists and maps; the reference that the count on the text is compared with. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('the depth of a body', () => {
  test.each([
    '',
    '1',
    '[]',
    '[[],[],[]]',
    '{"a":[]}',
    '[[]',
    '"[[["',
    '["[[[", "\\"[[["]',
    '["\\\\", []]',
    ']]][[',
  ])('two levels allow %s', (text) => {
    expect(() => limitJson(text, 2)).not.toThrow();
  });

  test.each(['[[[', '[[[]]]', '{"a":{"b":{}}}', '[{"a":[]}]', '["\\\\",[[', '[["[", []]]'])(
    'two levels do not allow %s',
    (text) => {
      expect(() => limitJson(text, 2)).toThrow(tooDeep);
    },
  );

  test('three million levels are refused as fast as three', () => {
    expect(() => limitJson('['.repeat(3_000_000), 100)).toThrow(tooDeep);
  });

  test('matches the depth of the parsed value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const depth = depthOf(value);
        expect(() => limitJson(text, depth)).not.toThrow();
        if (depth > 0) expect(() => limitJson(text, depth - 1)).toThrow(tooDeep);
      }),
    );
  });
});

describe('shapes and keys in a body', () => {
  const list = (length: number, toItem: (at: number) => string): string =>
    `[${Array.from({ length }, (_, at) => toItem(at)).join()}]`;
  /** Maps with one member each. @param names - how many names there are */
  const maps = (length: number, names: number): string => list(length, (at) => `{"\\\\${at % names}" : 1}`);

  // Shapes are counted by a hash of 32 bits: of 50,000, two may count as one.
  test.each([
    ['a million values', list(1_000_000, () => '0'), list(1_000_001, () => '0')],
    ['half a million lists and maps', list(499_999, () => '[]'), list(500_000, () => '{}')],
    ['50,000 shapes of maps', maps(50_000, 50_000), maps(50_100, 50_100)],
    ['100,000 lists and maps of more than 1,000 shapes', maps(99_999, 1_001), maps(100_000, 1_010)],
    ['1,000 shapes of more than 100,000 lists and maps', maps(100_000, 1_000), maps(100_000, 1_010)],
  ])('%s are allowed, and no more', (_, allowed, refused) => {
    expect(() => limitJson(allowed, 100)).not.toThrow();
    expect(() => limitJson(refused, 100)).toThrow(tooMany);
  });

  test.each([
    ['names of one map', list(50_100, (at) => `"k${at}":1`)],
    ['sequences of names', list(62_500, (at) => `{"a${at % 250}":1,"a${Math.floor(at / 250)}":1}`)],
  ])('%s are shapes', (_, text) => {
    expect(() => limitJson(`{${text.slice(1, -1)}}`, 100)).toThrow(tooMany);
  });

  test.each([
    ['maps with the same names', list(100_000, (at) => `{"a":${at},"b":2}`)],
    ['colons in texts', list(100_000, (at) => `"${at}:"`)],
    ['commas in a text', `"${','.repeat(2_000_000)}"`],
    ['brackets in a text', `"${'[{'.repeat(1_000_000)}"`],
  ])('%s count once, or not at all', (_, text) => {
    expect(() => limitJson(text, 100)).not.toThrow();
  });
});
