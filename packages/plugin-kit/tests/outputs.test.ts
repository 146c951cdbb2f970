import { describe, expect, test } from '@jest/globals';
import { eitherOf, mergeSchemas, resolveOutput, schemaOfOutput } from '../contract/outputs.ts';
import * as Given from '../declare/given.ts';
import { closed, type JsonObject, like, orNull, Type } from '../index.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const object = <const Properties extends JsonObject>(
  properties: Properties,
  required: readonly string[] = [],
) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const given = {
  input: object({ id: text, 'a/b': number }),
  inputs: object({ one: text, two: number }),
  parameters: object({
    items: { type: 'array', items: object({ id: text, tags: { type: 'array', items: number } }) },
  }),
  body: number,
  stored: { mode: 'one', schema: { type: 'boolean' }, computed: '{{ x }}' },
};
const resolve = (schema: object) => resolveOutput(schema as never, given as never);

describe('a reference is to', () => {
  test.each<[string, object, object]>([
    ['the input', Given.input, given.input],
    ['a field of the input', Given.field('a/b'), number],
    ['a field that the input lacks', Given.field('none'), {}],
    ['each connected node', Given.inputs, given.inputs],
    ['any connected node', Given.anyInput, { anyOf: [text, number] }],
    ['the body', Given.body, number],
    ['a parameter', Given.parameter('items'), given.parameters.properties.items],
    ['a parameter that is not given', Given.parameter('none'), {}],
    ['a field of an item', Given.itemOf('items', 'id'), text],
    ['an entry of a list in an item', Given.entryOf('items', 'tags'), number],
    ['one of several, by a parameter', Given.by('mode', { one: Type.Number() }, 'all'), number],
    ['one of several, by a default', Given.by('other', { all: Type.String() }, 'all'), text],
    ['nothing known, by an expression', Given.by('computed', { one: Type.Number() }, 'one'), {}],
    ['what is given', Given.ifGiven('schema', Type.String(), Type.Number()), text],
    ['what is not given', Given.ifGiven('none', Type.String(), Type.Number()), number],
    ['a schema in a parameter', Given.schemaIn('schema'), { type: 'boolean' }],
  ])('%s', (_what, schema, resolved) => {
    expect(resolve(schema)).toEqual(resolved);
  });

  test('parts of objects and lists', () => {
    expect(
      resolve(closed({ all: Type.Array(Given.itemOf('items', 'id')), one: orNull(Given.body) })),
    ).toEqual(
      object({ all: { type: 'array', items: text }, one: { anyOf: [number, { type: 'null' }] } }, [
        'all',
        'one',
      ]),
    );
  });
});

describe('merged objects', () => {
  const open = { type: 'object', properties: { a: text } };
  test('have the fields of both; of a field that the second may lack, either', () => {
    expect(mergeSchemas(object({ a: text, b: text }, ['a']), object({ b: number, c: number }))).toEqual(
      object({ a: text, b: { anyOf: [text, number] }, c: number }, ['a']),
    );
  });

  test('have what the second never lacks', () => {
    expect(mergeSchemas(open, object({ a: number, c: number }, ['a', 'c']))).toMatchObject({
      properties: { a: number, c: number },
    });
  });

  test('say nothing of a field that may come from an open one', () => {
    expect(mergeSchemas(open, object({ c: number }))).toEqual({
      type: 'object',
      properties: { a: text, c: {} },
      required: [],
    });
    expect(mergeSchemas(object({ a: number }), { type: 'object' })).toMatchObject({ properties: { a: {} } });
  });
});

describe('alternatives', () => {
  test('are those that differ, and nothing known if one says nothing or there are many', () => {
    const list = { type: 'array', items: text };
    expect(eitherOf([text, { ...text }, { anyOf: [number, list] }, list])).toEqual({
      anyOf: [text, number, list],
    });
    expect(eitherOf([text, {}])).toEqual({});
    const many = (length: number) => Array.from({ length }, () => object({}));
    expect(eitherOf(many(20))).toHaveProperty('anyOf');
    expect(eitherOf(many(21))).toEqual({});
  });
});

test('an output is declared by name, by a schema or by a function of the parameters', () => {
  const outputs = { a: text, b: ({ x }: object & { x?: unknown }) => ({ const: x }) };
  expect(schemaOfOutput(outputs as never, { x: 1 }, 'b')).toEqual({ const: 1 });
  expect(schemaOfOutput(outputs as never, {}, 'c')).toEqual({});
  expect(schemaOfOutput(['a'], {}, 'a')).toEqual({});
  expect(schemaOfOutput(() => outputs as never, {}, 'a')).toEqual(text);
});

test('what is like a sample may be null, and open where the sample is', () => {
  expect(like({ a: 'x', b: null, c: [] })).toEqual(
    object({ a: { anyOf: [text, { type: 'null' }] }, b: {}, c: { type: 'array', items: {} } }, [
      'a',
      'b',
      'c',
    ]),
  );
});
