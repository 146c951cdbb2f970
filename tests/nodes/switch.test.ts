import { emit, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { switchNode } from '../../nodes/flow/flow-nodes.ts';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';
import { runNode } from '../support/a-node-context.ts';

const input = { a: 1 };
const run = (parameters: JsonObject) => runNode(switchNode, 'switch', parameters, input);
const cases = [
  { equals: 'paid', output: 'ship' },
  { equals: { a: [1, { b: null }] }, output: 'deep' },
  { equals: 'paid', output: 'never' },
];

describe('switch', () => {
  test('passes the input on to the output of the first matching case', async () => {
    expect(await run({ value: 'paid', cases })).toStrictEqual(emit({ ship: input }));
  });

  test('compares as JSON, at any depth', async () => {
    expect(await run({ value: { a: [1, { b: null }] }, cases })).toStrictEqual(emit({ deep: input }));
    expect(await run({ value: { a: [1, { b: 0 }] }, cases })).toStrictEqual(emit({ default: input }));
  });

  test('fails for an invalid fallback name, needed or not', async () => {
    const cases = [{ equals: 'open', output: 'o' }];
    await expect(run({ value: 'open', cases, fallback: null })).rejects.toThrow(
      '"fallback" must be a string',
    );
  });

  test('passes the input on to the fallback when no case matches', async () => {
    expect(await run({ value: 'open', cases })).toStrictEqual(emit({ default: input }));
    expect(await run({ value: 'open', cases, fallback: 'rest' })).toStrictEqual(emit({ rest: input }));
    expect(await run({ value: 'open', cases: [] })).toStrictEqual(emit({ default: input }));
  });

  test('matches no case when the value has no result, not even null', async () => {
    const cases = [{ equals: null, output: 'none' }];
    expect(await run({ cases })).toStrictEqual(emit({ default: input }));
    expect(await run({ value: null, cases })).toStrictEqual(emit({ none: input }));
  });

  test('is refused in a workflow without the value', () => {
    const check = switchNode.checkParameters;
    const different = cases.slice(0, 1);
    expect(check?.({ cases: different })).toEqual([{ path: '', message: 'lacks the key "value"' }]);
    expect(check?.({ value: '{{ a }}', cases: different })).toEqual([]);
  });

  test.each([
    ['a case', { value: 1, cases: [{ equals: 1, output: 'response' }] }],
    ['the fallback', { value: 1, cases: [], fallback: 'response' }],
  ])('refuses the output reserved for responses in %s, also by its schema', async (_place, parameters) => {
    await expect(run(parameters)).rejects.toThrow('but not "response"');
    expect(checkSchema(switchNode.schema, parameters, '')).not.toEqual([]);
  });

  test('may have outputs with any other name, even of object properties', async () => {
    for (const output of ['__proto__', 'constructor', 'toString']) {
      const result = await run({ value: 1, cases: [{ equals: 1, output }] });
      expect(Object.entries((result as { outputs: JsonObject }).outputs)).toEqual([[output, input]]);
    }
  });

  test('compares a key named __proto__ like any other', async () => {
    const value: JsonValue = JSON.parse('{"__proto__":{"a":1}}');
    const withCase = (equals: JsonValue) => run({ value, cases: [{ equals, output: 'same' }] });
    expect(await withCase(JSON.parse('{"__proto__":{"a":1}}'))).toStrictEqual(emit({ same: input }));
    expect(await withCase(JSON.parse('{"__proto__":{"a":2}}'))).toStrictEqual(emit({ default: input }));
    expect(await withCase({})).toStrictEqual(emit({ default: input }));
  });
});
