import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toValueKey } from '../../../nodes/data/field-paths.ts';
import { compareValues, sort } from '../../../nodes/data/lists.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const cases: readonly (readonly [
  string,
  readonly JsonValue[],
  readonly JsonObject[],
  readonly JsonValue[],
])[] = [
  ['numbers stay numbers', [10, 9, 2, -1, 1.5], [{}], [-1, 1.5, 2, 9, 10]],
  ['text by its units, capitals first', ['b', 'a', 'B', 'Ä', 'z'], [{}], ['B', 'a', 'b', 'z', 'Ä']],
  ['text in lower case when asked', ['b', 'A', 'B', 'a'], [{ ignoreCase: true }], ['A', 'a', 'b', 'B']],
  [
    'mixed types in a fixed order, null last',
    [null, { a: 1 }, [2], true, 'x', 3, false],
    [{}],
    [3, 'x', false, true, [2], { a: 1 }, null],
  ],
  ['null last in the other direction, too', [1, null, 2], [{ direction: 'descending' }], [2, 1, null]],
  ['lists item by item', [[2], [1, 5], [1]], [{}], [[1], [1, 5], [2]]],
  [
    'the second field where the first is equal, absent ones last',
    [{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 1 } }, { b: { c: 0 } }, { a: 0 }],
    [{ field: 'a' }, { field: 'b.c' }],
    [{ a: 0 }, { a: 1, b: { c: 1 } }, { a: 1, b: { c: 2 } }, { b: { c: 0 } }],
  ],
];

test.each(cases)('%s', async (_name, items, by, sorted) => {
  expect(await runToMain(sort, { items, by })).toEqual({ items: sorted });
});

test('an expression for a list sorts the items themselves', async () => {
  expect(await runToMain(sort, { items: '{{ body.ids }}' }, { body: { ids: [3, 1, 2] } })).toEqual({
    items: [1, 2, 3],
  });
});

test.each([
  [{ items: 1 }, 'Parameter "items" must be a list of at most 100000 items, got number'],
  [{ items: [], by: [{ field: 'a..b' }] }, 'Parameter "by[0].field" must be a path such as address.city'],
  [
    { items: [], by: [{ direction: 'up' }] },
    'Parameter "by[0].direction" must be one of ascending, descending',
  ],
  [
    { items: Array(100_001).fill(0) },
    'Parameter "items" must be a list of at most 100000 items, got another length',
  ],
])('%#: an invalid parameter is named', async (parameters, message) => {
  const result = await runNodeType(sort, parameters);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining(message) } });
});

test('100,000 items are sorted', async () => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ at: (index * 7_919) % 100_000 }));
  const { items: sorted } = await runToMain(sort, { items, by: [{ field: 'at' }] });
  expect((sorted as { at: number }[]).every(({ at }, index) => at === index)).toBe(true);
});

describe('for any items', () => {
  const anyItems = fc.array(fc.record({ key: fc.jsonValue({ maxDepth: 2 }), at: fc.nat() })) as fc.Arbitrary<
    { key: JsonValue; at: number }[]
  >;

  test('the result is a permutation, in order, and stable', async () => {
    await fc.assert(
      fc.asyncProperty(anyItems, fc.boolean(), async (given, isDescending) => {
        const items = given.map(({ key }, at) => JSON.parse(JSON.stringify({ key, at })));
        const direction = isDescending ? 'descending' : 'ascending';
        const { items: sorted } = await runToMain(sort, { items, by: [{ field: 'key', direction }] });
        const result = sorted as { key: JsonValue; at: number }[];
        expect(result.map(toValueKey).sort()).toEqual(items.map(toValueKey).sort());
        for (const [index, right] of result.entries()) {
          const left = result[index - 1];
          if (left === undefined || right.key === null) continue;
          const order = compareValues(left.key, right.key) * (isDescending ? -1 : 1);
          expect(order).toBeLessThanOrEqual(0);
          if (order === 0) expect(left.at).toBeLessThan(right.at);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the order is total', () => {
    const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compareValues(a, b))).toBe(-Math.sign(compareValues(b, a)) || 0);
        if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0)
          expect(compareValues(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
