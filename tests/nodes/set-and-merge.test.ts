import { emit, type JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { merge, set, switchNode } from '../../nodes/flow/flow-nodes.ts';
import { aDelivery, aNodeContext, runNode } from '../support/a-node-context.ts';

describe('set', () => {
  const input = { a: 1, b: { c: 2 } };

  test('outputs only the values', async () => {
    expect(await runNode(set, 'set', { values: { d: [1] } }, input)).toStrictEqual({ d: [1] });
    expect(await runNode(set, 'set', { values: {}, keepInput: false }, input)).toStrictEqual({});
  });

  test('with keepInput, writes the values over the input, key by key', async () => {
    const parameters = { values: { b: { d: 3 }, e: null }, keepInput: true };
    expect(await runNode(set, 'set', parameters, input)).toStrictEqual({ a: 1, b: { d: 3 }, e: null });
  });
});

describe('merge', () => {
  const inputs = [aDelivery('left', { a: 1, b: 1 }), aDelivery('right', { b: 2 })];
  const merged = { a: 1, b: 2 };
  const run = (parameters: JsonObject, deliveries = inputs) =>
    runNode(merge, 'merge', parameters, merged, aNodeContext({ inputs: deliveries }));

  test('passes on the input as the engine merged it, also by default', async () => {
    expect(await run({})).toBe(merged);
    expect(await run({ mode: 'merge' })).toBe(merged);
  });

  test('append lists the inputs in connection order', async () => {
    expect(await run({ mode: 'append' })).toStrictEqual({ items: [{ a: 1, b: 1 }, { b: 2 }] });
    expect(await run({ mode: 'append' }, [])).toStrictEqual({ items: [] });
  });

  test('byNode keys the inputs by source node', async () => {
    expect(await run({ mode: 'byNode' })).toStrictEqual({ left: { a: 1, b: 1 }, right: { b: 2 } });
    expect(await run({ mode: 'byNode' }, [])).toStrictEqual({});
  });

  test('byNode uses the later one of two connections from one node', async () => {
    const twice = [aDelivery('left', { a: 1 }), aDelivery('left', { b: 2 })];
    expect(await run({ mode: 'byNode' }, twice)).toStrictEqual({ left: { b: 2 } });
  });

  test('has no other mode', async () => {
    await expect(run({ mode: 'toString' })).rejects.toThrow(
      'Parameter "mode" must be one of merge, append, byNode, got string',
    );
  });
});

describe('names of object properties', () => {
  const key = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'),
    fc.string(),
  );
  const map = fc
    .array(fc.tuple(key, fc.jsonValue()), { maxLength: 4 })
    .map((entries): JsonObject => JSON.parse(JSON.stringify(Object.fromEntries(entries))));
  const prototypes = [Object.prototype, Array.prototype, Function.prototype];
  const snapshot = () => prototypes.map((prototype) => Reflect.ownKeys(prototype));

  /** Own keys and values, whatever they are called. */
  const entriesOf = (value: unknown) => Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));

  test('stay data in set, merge and switch, and change no prototype', async () => {
    const before = snapshot();
    await fc.assert(
      fc.asyncProperty(map, map, key, async (input, values, name) => {
        const kept = await runNode(set, 'set', { values, keepInput: true }, input);
        expect(entriesOf(kept)).toEqual(entriesOf({ ...input, ...values }));
        expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
        expect(await runNode(set, 'set', { values }, input)).toBe(values);

        const inputs = [aDelivery(name, input)];
        const byNode = await runNode(merge, 'merge', { mode: 'byNode' }, {}, aNodeContext({ inputs }));
        expect(entriesOf(byNode)).toEqual([[name, input]]);
        expect(Object.getPrototypeOf(byNode)).toBe(Object.prototype);

        const parameters = { value: values, cases: [{ equals: values, output: 'same' }] };
        expect(await runNode(switchNode, 'switch', parameters, input)).toStrictEqual(emit({ same: input }));
      }),
      { numRuns: 200 },
    );
    expect(snapshot()).toEqual(before);
    expect('polluted' in {}).toBe(false);
  });
});
