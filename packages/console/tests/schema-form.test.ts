import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeNodeType } from '../../../lib/plugins/reference/describe-node-type.ts';
import { addFeatures } from '../../../lib/webhooks/features/add-features.chunk.ts';
import { loadPlugins } from '../../cli/plugins/node-types.ts';
import {
  type Field,
  type Kind,
  messagesAt,
  placeMissing,
  toFields,
  withField,
} from '../src/parts/schema-form/fields.ts';
import { fitsKind } from '../src/parts/schema-form/kinds.ts';
import { describeTimes } from '../src/parts/schema-form/next-times.ts';

const kindOf = (schema: unknown): Kind | undefined => toFields({ properties: { a: schema } })[0]?.kind;

const nodeTypes = (await loadPlugins())
  .flatMap((entry) => (entry.status === 'loaded' ? entry.plugin.nodeTypes : []))
  .map((nodeType) => addFeatures(describeNodeType(nodeType)));

describe('a schema becomes', () => {
  const any = expect.objectContaining({ type: 'oneOf' });
  test.each([
    ['a text', { type: 'string' }, { type: 'text', isLong: false }],
    ['a text of several lines', { type: 'string', maxLength: 10_000 }, { type: 'text', isLong: true }],
    [
      'a text of one line, as it has a pattern',
      { type: 'string', maxLength: 8_000, pattern: '^h' },
      { type: 'text', isLong: false },
    ],
    ['a number', { type: 'number' }, { type: 'number', isInteger: false }],
    ['an integer', { type: 'integer' }, { type: 'number', isInteger: true }],
    ['true or false', { type: 'boolean' }, { type: 'boolean' }],
    ['a choice', { enum: ['a', 1] }, { type: 'choice', options: ['a', 1] }],
    [
      'a choice of constants',
      { anyOf: [{ const: 'a' }, { enum: ['b'] }] },
      { type: 'choice', options: ['a', 'b'] },
    ],
    ['a list', { type: 'array', items: { type: 'boolean' } }, { type: 'list', item: { type: 'boolean' } }],
    ['a list of anything', { type: 'array' }, { type: 'list', item: any }],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'boolean' } },
      { type: 'map', item: { type: 'boolean' } },
    ],
    ['a map of anything', { type: 'object', properties: {} }, { type: 'map', item: any }],
    [
      'one of several',
      { anyOf: [{ type: 'boolean' }, { const: 'store' }] },
      { type: 'oneOf', kinds: [{ type: 'boolean' }, { type: 'choice', options: ['store'] }] },
    ],
    ['code', { type: 'string', format: 'javascript' }, { type: 'code' }],
    ['a JSON Schema', { type: 'object', format: 'json-schema' }, { type: 'jsonSchema' }],
    ['a schedule', { type: 'string', format: 'cron-expression' }, { type: 'cron' }],
    ['a file', { format: 'file' }, { type: 'file' }],
    ['anything', { description: 'Any' }, any],
    ['JSON: a reference', { $ref: '#/x', type: 'object' }, { type: 'json' }],
    ['JSON: several types', { type: ['string', 'null'] }, { type: 'json' }],
    ['JSON: keys by patterns', { type: 'object', patternProperties: { a: {} } }, { type: 'json' }],
    ['JSON: an unknown construct', { allOf: [{ type: 'string' }] }, { type: 'json' }],
    ['anything: no schema', 'no schema', any],
  ])('%s', (_, schema, kind) => {
    expect(kindOf(schema)).toEqual(kind);
  });

  test('the fields of an object, with what is required and the defaults', () => {
    const properties = { a: { type: 'string', description: 'The a' }, b: { type: 'number', default: 3 } };
    expect(kindOf({ type: 'object', properties, required: ['a', 'b'] })).toMatchObject({
      type: 'object',
      fields: [
        { key: 'a', description: 'The a', initial: undefined, isRequired: true },
        { key: 'b', initial: 3, isRequired: false },
      ],
    });
  });

  test('JSON below a depth, however deep it is', () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 1_000; depth += 1) schema = { type: 'array', items: schema };
    let kind = kindOf(schema);
    let lists = 0;
    for (; kind?.type === 'list'; kind = kind.item) lists += 1;
    expect([kind, lists]).toEqual([{ type: 'json' }, 9]);
  });

  test('fields without a fault, whatever it is', () => {
    fc.assert(fc.property(fc.jsonValue(), (schema) => expect(Array.isArray(toFields(schema))).toBe(true)));
  });
});

test('the built-in node types are found', () => {
  expect(nodeTypes.length).toBeGreaterThan(55);
});

describe.each(nodeTypes.map((type) => [type.nodeType, type] as const))('the parameters of %s', (_, type) => {
  const fields = toFields(type.schema);

  test('have a field each', () => {
    expect(fields.map(({ key }) => key)).toEqual(Object.keys((type.schema.properties ?? {}) as JsonObject));
  });

  test('have defaults and examples that fit their fields', () => {
    const parameters: JsonObject = type.example?.parameters ?? {};
    const misfits = fields.filter(({ key, kind, initial }) => {
      const value = parameters[key];
      const isExpression = type.kind === 'action' && typeof value === 'string' && value.includes('{{');
      return (
        (initial !== undefined && !fitsKind(kind, initial)) ||
        (value !== undefined && !isExpression && !fitsKind(kind, value))
      );
    });
    expect(misfits.map(({ key }) => key)).toEqual([]);
  });
});

describe('a value of a key', () => {
  const field = (initial?: JsonValue): Pick<Field, 'key' | 'initial'> => ({ key: 'b', initial });
  const object = { a: 1, b: 2, c: 3 };
  const keys = (changed: object) => JSON.stringify(changed);

  test('replaces the one before at its place', () => {
    expect(keys(withField(object, field(), 9))).toBe('{"a":1,"b":9,"c":3}');
  });
  test('is added at the end', () => {
    expect(keys(withField({ a: 1 }, field(), 9))).toBe('{"a":1,"b":9}');
  });
  test('is left out if it is the default', () => {
    expect(keys(withField(object, field([1, { x: 1 }]), [1, { x: 1 }]))).toBe('{"a":1,"c":3}');
  });
  test('is left out if there is none', () => {
    expect(keys(withField(object, field(), undefined))).toBe('{"a":1,"c":3}');
  });
  test('may have a key such as __proto__', () => {
    const changed = withField(JSON.parse('{"a":1}'), { key: '__proto__', initial: undefined }, 'x');
    expect(keys(changed)).toBe('{"a":1,"__proto__":"x"}');
  });
});

test.each([
  ['/a', false, ['one', 'inner']],
  ['/a', true, ['one']],
  ['/a/0', false, ['inner']],
  ['', true, ['all']],
])('the problems at %j, with parts: %j', (path, hasParts, messages) => {
  const problems = [
    { path: '', message: 'all' },
    { path: '/a', message: 'one' },
    { path: '/a/0', message: 'inner' },
    { path: '/ab', message: 'other' },
  ];
  expect(messagesAt(problems, path, hasParts)).toEqual(messages);
});

test('a schedule has its next times in its time zone, or what is wrong with it', async () => {
  const now = Date.parse('2026-03-28T12:00:00Z');
  const [first, second] = await describeTimes({ cron: '30 9 * * *', timeZone: 'Europe/Berlin' }, now);
  expect(first).toMatch(/29 March 2026.*09:30 \(Europe\/Berlin\)$/);
  expect(second).toMatch(/30 March 2026.*09:30/);
  expect(await describeTimes({ cron: '99 9 * * *' }, now)).toEqual([expect.stringMatching(/^cron .*minute/)]);
});

test('a missing key stands at its own field, where the form has one', () => {
  const text = { type: 'string' };
  const fields = toFields({
    properties: {
      url: text,
      'a/b': { type: 'object', properties: { c: text } },
      rows: { type: 'array', items: { type: 'object', properties: { d: text } } },
      any: {},
    },
  });
  const lacks = (path: string, key: string) => ({ path, message: `lacks the key "${key}"` });
  const required = (path: string) => ({ path, message: 'is required' });
  expect(placeMissing([lacks('', 'url'), lacks('/a~1b', 'c'), lacks('/rows/1', 'd')], fields)).toEqual([
    required('/url'),
    required('/a~1b/c'),
    required('/rows/1/d'),
  ]);
  const others = [lacks('', 'other'), lacks('/any', 'x'), lacks('/none/at', 'all'), required('/url')];
  expect(placeMissing(others, fields)).toEqual(others);
});
