import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readReturns } from '../../../validation/types/read-returns.ts';

const read = (type: string) => readReturns(`/** @returns {${type}} */\nreturn {}`);
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const [text, number] = [{ type: 'string' }, { type: 'number' }];

describe('what the comment at the start of code says of its result', () => {
  test.each<[string, object]>([
    ['{ total: number, items: string[] }', object({ total: number, items: { type: 'array', items: text } })],
    [
      '{ a?: string; b: string | undefined; c: string | null }',
      object({ a: text, b: text, c: { anyOf: [text, { type: 'null' }] } }, ['c']),
    ],
    [
      'Promise<{ "a b": Array<{ n: number }> }>',
      object({ 'a b': { type: 'array', items: object({ n: number }) } }),
    ],
    [
      '{ kind: "a" | \'b\', n: 1, by: Record<string, number>, at: Date, any: * }',
      object({
        kind: {
          anyOf: [
            { type: 'string', enum: ['a'] },
            { type: 'string', enum: ['b'] },
          ],
        },
        n: { type: 'number', enum: [1] },
        by: { type: 'object', additionalProperties: number },
        at: {},
        any: {},
      }),
    ],
    ['{ list: (string | number)[] }', object({ list: { type: 'array', items: { anyOf: [text, number] } } })],
    ['{}', object({})],
    ['object', { type: 'object' }],
    ['{ __proto__: string }', object(JSON.parse('{ "__proto__": { "type": "string" } }'))],
  ])('%s', (type, expected) => {
    expect(read(type)).toEqual(expected);
  });

  test('over several lines, with text before and behind', () => {
    const code = `
      /**
       * Adds up.
       * @return {{
       *   total: number,
       * }} the total
       */
      const total = 1;
      return { total };`;
    expect(readReturns(code)).toEqual(object({ total: number }));
  });

  test.each([
    'return {}',
    '/* @returns {{ a: string }} */ return {}',
    '/** @returns {{ a: string }} */ function inner() {}',
    '/** @returns {{ a: string }} */ async function inner() {}',
    '/** @returns {number} */ return 1',
    '/** @returns {{ a: (x) => string }} */ return {}',
    '/** @returns {{ a: string } & B} */ return {}',
    '/** @returns {{ a: string */ return {}',
    '/** @returns nothing */ return {}',
    'const a = 1; /** @returns {{ a: string }} */ return {}',
    `/** @returns {${'{ a: '.repeat(100)} string ${'}'.repeat(100)}} */ return {}`,
  ])('is nothing for %s', (code) => {
    expect(readReturns(code)).toBeNull();
  });

  test('is read without an error, whatever it is', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '<',
      '>',
      '|',
      '?',
      ':',
      ',',
      '(',
      ')',
      'string',
      'Array',
      '"a"',
      '*',
      '1',
      '-',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        read(parts.join(' '));
      }),
    );
  });
});
