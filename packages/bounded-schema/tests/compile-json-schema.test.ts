import { describe, expect, test } from '@jest/globals';
import { compileJsonSchema } from '../src/compile-json-schema.ts';

const tooMuch = 'Parameter "schema" takes too many steps on this value';

/** Letters in an order that does not repeat. */
const mixed = Array.from({ length: 5_000 }, (_, at) => 'ab'[((at * 2_654_435_761) >>> 16) & 1]).join('');

const keys = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`key-${at}`, at]));

describe('the work on a value is limited', () => {
  test.each<[string, object, unknown]>([
    ['a pattern for which each character is a new state', { pattern: '(a|b)*a(a|b){400}c' }, mixed],
    ['patterns over a long text', { allOf: Array(20).fill({ pattern: 'c$' }) }, mixed.repeat(20)],
    ['many alternatives', { items: { anyOf: Array(10).fill({ type: 'string' }) } }, Array(1_000).fill(1)],
    ['checks of names', { anyOf: Array(10).fill({ propertyNames: { maxLength: 1 } }) }, keys(500)],
    ['keys that are not allowed', { anyOf: Array(10).fill({ additionalProperties: false }) }, keys(500)],
    ['keys that are all allowed', { allOf: Array(10).fill({ additionalProperties: true }) }, keys(500)],
    ['many required keys', { items: { required: Object.keys(keys(500)) } }, Array(300).fill({})],
    ['many properties', { items: { properties: keys(500) } }, Array(300).fill({})],
    [
      'many constants',
      { items: { enum: Array.from({ length: 500 }, (_, a) => ({ a })) } },
      Array(300).fill({}),
    ],
  ])('%s', (_case, schema, value) => {
    const find = compileJsonSchema(schema as never);
    expect(() => find(value, { maxWork: 100_000 })).toThrow(tooMuch);
  });

  test('separately for each value', () => {
    const find = compileJsonSchema({ items: { type: 'number' } });
    const value = Array(1_000).fill(1);
    for (let round = 0; round < 10; round++) expect(find(value, { maxWork: 20_000 })).toEqual([]);
    expect(() => find(value, { maxWork: 10_000 })).toThrow(tooMuch);
  });

  test('and a 2019-09 keyword used for counting keeps its meaning', () => {
    const schema = { $recursiveAnchor: true, type: 'object', properties: { next: { $recursiveRef: '#' } } };
    const find = compileJsonSchema(schema);
    expect(find({ next: { next: {} } })).toEqual([]);
    expect(find({ next: { next: 1 } })).toContainEqual(
      expect.objectContaining({ pointer: '#/next/next', keyword: 'type' }),
    );
  });
});

test('there are at most 100 violations', () => {
  const find = compileJsonSchema({ additionalProperties: false });
  expect(find(keys(1_000))).toHaveLength(100);
});

// Names of https://github.com/json-schema-org/JSON-Schema-Test-Suite, optional/format/hostname.json.
test.each([
  ['www.example.com', true],
  ['xn--4gbwdl.xn--wgbh1c', true],
  ['xn--ll-0ea', true],
  ['xn--X', false],
  ['xn--07jt112bpxg.xn--9t4b11yi5a', false],
  ['xn--hello-txk', false],
  ['xn--chb89f', false],
  ['xn--al-0ea', false],
  ['xn--l-gda', false],
  ['xn--S-jib3p', false],
  ['xn--A-2hc5h', false],
  ['xn--5db3e', false],
  ['xn--vek', false],
  ['xn--defabc-k64e', false],
  ['xn--11b2er09f', false],
  ['XN--aa---o47jg78q', false],
  ['-a.example', false],
  ['a..b', false],
  [`${'a'.repeat(64)}.example`, false],
  [`${'a.'.repeat(127)}`, false],
])('the format hostname, %s: %j', (name, isOne) => {
  expect(compileJsonSchema({ format: 'hostname' })(name)).toHaveLength(isOne ? 0 : 1);
});
