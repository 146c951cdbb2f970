import { describe, expect, test } from '@jest/globals';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { Rule } from '../declare/read-parameters.ts';
import { createReader, readParameters, wrongParameter } from '../declare/read-parameters.ts';

const properties = {
  text: { type: 'string', default: 'x' },
  flag: { type: 'boolean', default: true },
  map: { type: 'object', default: { a: 1 } },
  list: { type: 'array', default: [] },
  number: { type: 'number', minimum: 1, maximum: 3, default: 2 },
  choice: { enum: ['a', 'b'], default: 'a' },
  any: {},
} as const;

/** Reads the one parameter `p`. */
const read = (parameters: { readonly p?: JsonValue }, rule: object) =>
  readParameters(parameters, { p: rule }).p;

describe('reading parameters by a schema', () => {
  test('returns given values, and no parameter that the schema does not name', () => {
    const given = { text: '', flag: false, map: { a: null }, list: [1], number: 1.5, choice: 'b', any: null };
    expect(readParameters({ ...given, other: 1 }, properties)).toEqual(given);
  });

  test('returns the default for an absent one', () => {
    const defaults = { text: 'x', flag: true, map: { a: 1 }, list: [], number: 2, choice: 'a' };
    expect(readParameters({}, properties)).toEqual(defaults);
  });

  test('infers the types', () => {
    const { list, map, choice, any } = readParameters({}, properties);
    const typed: [readonly JsonValue[], JsonObject, 'a' | 'b', JsonValue | undefined] = [
      list,
      map,
      choice,
      any,
    ];
    expect(typed).toEqual([[], { a: 1 }, 'a', undefined]);
  });

  test('does not treat null as absent', () => {
    expect(() => readParameters({ text: null }, properties)).toThrow(
      'Parameter "text" must be a string, got null',
    );
    expect(() => readParameters({ number: null }, properties)).toThrow(
      'must be a number from 1 to 3, got null',
    );
  });

  test.each([
    [{ type: 'string' }, 'a string'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'object' }, 'a map'],
    [{ type: 'array' }, 'a list'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, 'an integer from 0 to 9'],
    [{ enum: ['a', 'b'] }, 'one of a, b'],
  ])('%j without a default is required', (rule, expected) => {
    expect(() => read({}, rule)).toThrow(`Parameter "p" must be ${expected}, got nothing`);
  });

  test.each<[object, JsonValue]>([
    [{ type: 'object' }, []],
    [{ type: 'object' }, null],
    [{ type: 'array' }, {}],
    [{ type: 'boolean' }, 'true'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, '1'],
    [{ enum: ['a', 'b'] }, 'c'],
  ])('%j refuses %j', (rule, p) => {
    expect(() => read({ p }, rule)).toThrow(TypeError);
  });

  test('checks inclusive bounds of numbers', () => {
    const rule = { type: 'number', minimum: 1, maximum: 3 };
    for (const p of [1, 3]) expect(read({ p }, rule)).toBe(p);
    for (const p of [0.99, 3.01]) expect(() => read({ p }, rule)).toThrow(RangeError);
    expect(() => read({ p: 1.5 }, { ...rule, type: 'integer' })).toThrow('an integer from 1 to 3');
  });

  test.each<[JsonValue | undefined, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'array'],
    [{}, 'object'],
    ['hunter2', 'string'],
    [4111, 'number'],
    [true, 'boolean'],
  ])('throws an error with the type of %j, and nothing else', (got, type) => {
    expect(wrongParameter('p', 'x', got)).toEqual(new TypeError(`Parameter "p" must be x, got ${type}`));
  });
});

describe('reading resolved parameters by a schema of any depth', () => {
  /** Reads the one required parameter `p`. */
  const readDeep = (rule: Rule, parameters: JsonObject) =>
    createReader({ required: ['p'], properties: { p: rule } })(parameters);

  test.each<[Rule, JsonValue, string]>([
    [
      { type: 'string', minLength: 2, maxLength: 3 },
      'a',
      'a string of 2 to 3 characters, got another length',
    ],
    [{ type: 'string', maxLength: 3 }, 'abcd', 'a string of at most 3 characters, got another length'],
    [{ type: 'string', pattern: '^a' }, 'b', 'a string that matches ^a, got another string'],
    [
      { type: 'string', pattern: '^a', description: 'begins with a' },
      'b',
      'a string that matches ^a (begins with a), got another string',
    ],
    [
      { type: 'string', pattern: '^(a+)+$' },
      `${'a'.repeat(8_192)}b`,
      'a string that matches ^(a+)+$, got another string',
    ],
    [{ type: 'array', minItems: 1 }, [], 'a list of at least 1 items, got another length'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'a number above 0, got another number'],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, 'a number below 1, got another number'],
    [{ type: 'integer' }, 1.5, 'an integer, got another number'],
    [{ const: 'a' }, 'b', '"a", got string'],
    [{ type: 'null' }, 0, 'null, got number'],
    [{ type: ['string', 'null'] }, 0, 'a string or null, got number'],
    [{ type: ['integer', 'null'] }, 1.5, 'an integer or null, got another number'],
    [
      { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 1 }] },
      0,
      'null or an integer of at least 1, got number',
    ],
  ])('%j refuses %j', (rule, p, problem) => {
    expect(() => readDeep(rule, { p })).toThrow(`Parameter "p" must be ${problem}`);
  });

  test.each<[Rule, JsonValue, string]>([
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], 'p[1]'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, 'p.a'],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'array', items: { type: 'null' } } } },
      { a: [null, 2] },
      'p.a[1]',
    ],
  ])('%j names the place in %j', (rule, p, place) => {
    expect(() => readDeep(rule, { p })).toThrow(`Parameter "${place}" must be `);
  });

  test('uses the first matching branch, with its defaults', () => {
    const named: Rule = {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer', default: 1 } },
    };
    const rule: Rule = { anyOf: [{ type: 'string' }, named] };
    expect(readDeep(rule, { p: 'a' })).toEqual({ p: 'a' });
    expect(readDeep(rule, { p: {} })).toEqual({ p: { n: 1 } });
  });

  test('accepts each of several types', () => {
    const rule: Rule = { type: ['string', 'null'] };
    expect([readDeep(rule, { p: 'a' }), readDeep(rule, { p: null })]).toEqual([{ p: 'a' }, { p: null }]);
  });

  test('keeps other keys where the schema allows them, and __proto__ as data', () => {
    const p = JSON.parse('{"a":1,"__proto__":{"b":2}}');
    const rule: Rule = { type: 'object', properties: { a: { type: 'integer' } } };
    expect(JSON.stringify(readDeep(rule, { p }))).toBe('{"p":{"a":1,"__proto__":{"b":2}}}');
    expect(() => readDeep({ ...rule, additionalProperties: false }, { p })).toThrow(
      'Parameter "p.__proto__" must be absent, got object',
    );
  });

  test.each<[Rule, JsonValue, JsonValue]>([
    [{ const: { a: [1] } }, { a: [1] }, { a: [2] }],
    [{ enum: [{ a: 1 }, null] }, { a: 1 }, {}],
    [{ type: 'string', enum: ['a', 1] }, 'a', 1],
    [{ type: 'string', maxLength: 1 }, '😀', 'ab'],
    [{ type: 'string', minLength: 2 }, '😀😀', '😀'],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5, 1],
    [{ type: 'string', not: { const: 'a' } }, 'b', 'a'],
    [{ type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, { a: 1, b: 1 }],
    [{ type: 'object', properties: { a: {} }, anyOf: [{ required: ['b'] }] }, { b: 1 }, { a: 1 }],
    [
      { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }] },
      { a: '' },
      { a: 1 },
    ],
    [
      {
        anyOf: [{ type: 'object', properties: { a: {} }, additionalProperties: false }, { required: ['b'] }],
      },
      { b: 1 },
      { c: 1 },
    ],
    [{ type: ['array', 'object'], items: { type: 'null' }, required: ['a'] }, { a: 1 }, {}],
  ])('%j accepts %j unchanged, and refuses %j', (rule, right, wrong) => {
    expect(readDeep(rule, { p: right })).toEqual({ p: right });
    expect(() => readDeep(rule, { p: wrong })).toThrow('must be');
  });

  test('an optional parameter may be absent, a required one may not', () => {
    const read = createReader({ required: ['any'], properties: { any: {}, text: { type: 'string' } } });
    expect(read({ any: null })).toEqual({ any: null });
    expect(() => read({})).toThrow('Parameter "any" must be any JSON, got nothing');
    expect(() => readDeep({ type: 'string' }, {})).toThrow('got nothing');
  });
});
