import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkSchema } from '../../../validation/schema/check-schema.ts';

const check = (schema: JsonObject, value: unknown) => checkSchema(schema, value, '/at');

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});

describe('of alternatives, the mistake in the nearest is reported', () => {
  const shape = {
    oneOf: [
      object({ kind: { const: 'circle' }, radius: { type: 'number' } }, { required: ['kind', 'radius'] }),
      object({ kind: { const: 'square' }, side: { type: 'number' } }, { required: ['kind', 'side'] }),
    ],
  };

  test('by the value that distinguishes them', () => {
    expect(check(shape, { kind: 'square', side: 'x' })).toEqual([
      { path: '/at/side', message: 'must be number' },
    ]);
    expect(check(shape, { kind: 'circle', radus: 1 })).toMatchObject([
      { path: '/at', message: 'has the unknown key "radus"; did you mean "radius"?' },
    ]);
  });

  test('in each item of a list', () => {
    expect(
      check({ type: 'array', items: shape }, [{ kind: 'square' }, { kind: 'circle', radius: 'x' }]),
    ).toEqual([
      { path: '/at/0', message: 'lacks the key "side"' },
      { path: '/at/1/radius', message: 'must be number' },
    ]);
  });

  test('by its type', () => {
    const textOrMap = { anyOf: [{ type: 'string' }, object({ a: { type: 'number' } })] };
    expect(check(textOrMap, { a: 'x' })).toEqual([{ path: '/at/a', message: 'must be number' }]);
  });

  test('through a reference too', () => {
    const referring = {
      $defs: { number: { type: 'number' }, text: object({ text: { type: 'string' } }) },
      anyOf: [{ $ref: '#/$defs/number' }, { $ref: '#/$defs/text' }],
    };
    expect(check(referring, { text: 1 })).toEqual([{ path: '/at/text', message: 'must be string' }]);
  });

  test('and nothing is reported while one may fit what a run produces', () => {
    const isUnknown = ({ value }: { readonly value: unknown }) => value === '{{ x }}';
    expect(checkSchema(shape, { kind: '{{ x }}', radius: 1 }, '', isUnknown)).toEqual([]);
  });
});

describe('keys', () => {
  test('required by a condition are missing, without mentioning the condition', () => {
    const schema = {
      ...object({ mode: { type: 'string' }, at: { type: 'string' } }),
      if: { properties: { mode: { const: 'later' } }, required: ['mode'] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
      then: { required: ['at'] },
    };
    expect(check(schema, { mode: 'later' })).toEqual([{ path: '/at', message: 'lacks the key "at"' }]);
  });

  test.each<[string, JsonObject, unknown, string]>([
    [
      'in milliseconds',
      object({ timeoutSeconds: {} }),
      { timeoutMs: 1_500 },
      '; did you mean "timeoutSeconds": 1.5?',
    ],
    ['in hours', object({ seconds: {} }), { hours: 2 }, '; did you mean "seconds": 7200?'],
    ['of no known unit', object({ seconds: {} }), { weeks: 2 }, '; known keys: "seconds"'],
    ['where none is known', object({}), { a: 1 }, ''],
    [
      'that are there already, under the right name',
      object({ name: {} }),
      { name: 1, nam: 2 },
      '; known keys: "name"',
    ],
  ])('%s', (_case, schema, value, hint) => {
    expect(check(schema, value)).toMatchObject([
      { path: '/at', message: expect.stringMatching(/^has the unknown key "\w+"/) },
    ]);
    expect(check(schema, value)[0]?.message.replace(/^has the unknown key "\w+"/, '')).toBe(hint);
  });

  test('of any length keep messages short', () => {
    const [problem] = check(object({}), { ['x'.repeat(100_000)]: 1 });
    expect(problem?.message.length).toBeLessThan(200);
  });
});

test('the disallowed value is named', () => {
  expect(check({ not: { const: 'response' } }, 'response')).toEqual([
    { path: '/at', message: `must not be "response"` },
  ]);
});

describe('schemas that are checked in sequence', () => {
  test('may have the same $id', () => {
    expect(check({ $id: 'https://example.com/a', type: 'string' }, 'x')).toEqual([]);
    expect(check({ $id: 'https://example.com/a', type: 'number' }, 'x')).toHaveLength(1);
  });

  test('are unaffected by one that was refused', () => {
    const shape = { $id: 'https://example.com/b', type: 'string' };
    const broken = { $id: 'https://example.com/b', type: 'none' };
    expect(check(broken, 'x')).toMatchObject([{ message: expect.stringContaining("can't be checked") }]);
    expect(check(shape, 'x')).toEqual([]);
    expect(check(shape, 1)).toHaveLength(1);
  });
});
