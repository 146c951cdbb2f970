import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareValues, membersOfAll } from '../../lib/shared/compare-values.ts';
import { parseJsonStart } from '../../lib/shared/json-start.ts';

test.each([
  ['{"id":"A-1","items":[{"n":1},{"no', { id: 'A-1', items: [{ n: 1 }, {}] }, ['', '/items', '/items/1']],
  ['{"n":12', {}, ['']],
  ['{"n":12,', { n: 12 }, ['']],
  ['{"a/b":{"text":"yes, {', { 'a/b': {} }, ['', '/a~1b']],
  ['[true,nul', [true], ['']],
  ['{"a":{"b":1}}', { a: { b: 1 } }, ['']],
  ['{"text":"\\', {}, ['']],
  ['{', {}, ['']],
] as const)('%s', (text, value, open) => {
  expect(parseJsonStart(text)).toEqual({ value, open: new Set(open) });
});

test.each(['', '"text', 'tru', '12', '{"a""b":1,}', '}', '{x:1}'])('%j is of no list or map', (text) => {
  expect(parseJsonStart(text).value).toBeUndefined();
});

describe('of any value, the start', () => {
  const aContainer = fc.oneof(fc.object(), fc.array(fc.jsonValue())).map((value) => JSON.stringify(value));

  test('has nothing else, and lacks members only where it says that there may be more', () => {
    fc.assert(
      fc.property(aContainer, fc.nat(), (text, at) => {
        const whole = JSON.parse(text) as JsonValue;
        const { value, open } = parseJsonStart(text.slice(0, 1 + (at % text.length)));
        for (const { path, from } of compareValues(value as JsonValue, whole, { membersOf: membersOfAll })) {
          expect(from).toBeUndefined();
          expect(open).toContain(path.replace(/\/[^/]*$/, ''));
        }
      }),
    );
  });
});
