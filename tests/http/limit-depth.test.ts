import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limitDepth } from '../../lib/http/limit-depth.ts';

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
    expect(() => limitDepth(text, 2)).not.toThrow();
  });

  test.each(['[[[', '[[[]]]', '{"a":{"b":{}}}', '[{"a":[]}]', '["\\\\",[[', '[["[", []]]'])(
    'two levels do not allow %s',
    (text) => {
      expect(() => limitDepth(text, 2)).toThrow(tooDeep);
    },
  );

  test('three million levels are refused like three', () => {
    expect(() => limitDepth('['.repeat(3_000_000), 100)).toThrow(tooDeep);
  });

  test('is what the parsed value has, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const depth = depthOf(value);
        expect(() => limitDepth(text, depth)).not.toThrow();
        if (depth > 0) expect(() => limitDepth(text, depth - 1)).toThrow(tooDeep);
      }),
    );
  });
});
