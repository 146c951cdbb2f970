import type { JsonObject, JsonValue, PluginHandle } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareLists } from '../../../nodes/data/compare-lists.ts';
import { stopAndError } from '../../../nodes/data/data.plugin.ts';
import { toValueKey } from '../../../nodes/data/field-paths.ts';
import { pick, renameKeys } from '../../../nodes/data/fields.ts';
import { aggregate, batch, limit, removeDuplicates, splitOut } from '../../../nodes/data/lists.ts';
import { summarize } from '../../../nodes/data/summarize.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const items = [1, 2, 3, 4, 5];
const proto: JsonObject = JSON.parse('{"__proto__": 1, "a": 2}');
const values = { n: { operation: 'count' } };

const cases: readonly (readonly [PluginHandle, JsonObject, JsonObject])[] = [
  [limit, { items, count: 2, skip: 1 }, { items: [2, 3] }],
  [limit, { items, count: 2, from: 'end' }, { items: [4, 5] }],
  [limit, { items, count: 2, from: 'end', skip: 1 }, { items: [3, 4] }],
  [limit, { items, count: 9, from: 'end', skip: 3 }, { items: [1, 2] }],
  [limit, { items, count: 1, from: 'end', skip: 9 }, { items: [] }],
  [limit, { items, count: 0 }, { items: [] }],
  [
    removeDuplicates,
    { items: [1, '1', 1, null, null, { a: 1, b: 2 }, { b: 2, a: 1 }] },
    { items: [1, '1', null, { a: 1, b: 2 }], removed: 3 },
  ],
  [
    removeDuplicates,
    {
      items: [
        { a: 1, n: 1 },
        { a: 2, n: 2 },
        { a: 1, n: 3 },
      ],
      fields: ['a'],
      keep: 'last',
    },
    {
      items: [
        { a: 2, n: 2 },
        { a: 1, n: 3 },
      ],
      removed: 1,
    },
  ],
  [
    removeDuplicates,
    { items: [{}, { a: null }, {}], fields: ['a'] },
    { items: [{}, { a: null }, {}], removed: 0 },
  ],
  [
    removeDuplicates,
    { items: [{ n: 1 }, 5, { n: 2 }, { a: 1 }, { a: 1 }, { b: 1 }], fields: ['a', 'b.c'], keep: 'last' },
    { items: [{ n: 1 }, 5, { n: 2 }, { a: 1 }, { b: 1 }], removed: 1 },
  ],
  [aggregate, { items: [{ a: 1 }, {}, { a: null }], fields: { all: 'a' } }, { all: [1, null, null] }],
  [
    aggregate,
    { items: [{ a: 1 }, {}, { a: null }], fields: { all: 'a' }, omitMissing: true },
    { all: [1, null] },
  ],
  [splitOut, { items: [{ l: [1, 2] }, { l: null }, { l: [] }], field: 'l' }, { items: [1, 2] }],
  [
    splitOut,
    { items: [{ a: { l: [1] }, b: 2 }], field: 'a.l', keepOthers: true },
    { items: [{ a: { l: 1 }, b: 2 }] },
  ],
  [batch, { items, size: 2 }, { batches: [[1, 2], [3, 4], [5]] }],
  [batch, { items: [], size: 2 }, { batches: [] }],
  [pick, { items: [{ a: 1, b: 2 }, { b: 3 }], fields: ['a'] }, { items: [{ a: 1 }, {}] }],
  [pick, { items: [{ a: 1, b: 2 }], fields: ['a', 'c.d'], mode: 'remove' }, { items: [{ b: 2 }] }],
  [pick, { items: [proto], fields: ['__proto__'] }, { items: [JSON.parse('{"__proto__": 1}')] }],
  [pick, { items: [proto], fields: ['__proto__'], mode: 'remove' }, { items: [{ a: 2 }] }],
  [renameKeys, { items: [{ a: 1, b: 2 }, {}], names: { a: 'b', b: 'a' } }, { items: [{ b: 1, a: 2 }, {}] }],
  [renameKeys, { items: [{ a: 1 }], names: { a: '__proto__' } }, { items: [JSON.parse('{"__proto__": 1}')] }],
  [
    compareLists,
    { left: [1, 1, 2], right: [1, 3] },
    { onlyLeft: [1, 2], onlyRight: [3], same: [1], different: [] },
  ],
  [summarize, { items: [], values }, { items: [{ n: 0 }] }],
  [summarize, { items: [], groupBy: { a: 'a' }, values }, { items: [] }],
  [
    summarize,
    {
      items: Array.from({ length: 100 }, () => 0.1),
      values: { sum: { operation: 'sum' }, average: { operation: 'average' } },
    },
    { items: [{ sum: 10, average: 0.1 }] },
  ],
  [summarize, { items: [1e16, 1, -1e16], values: { sum: { operation: 'sum' } } }, { items: [{ sum: 1 }] }],
  [
    summarize,
    { items: [{ a: 1 }, { a: '1' }, {}, { a: null }], groupBy: { a: 'a' }, values },
    {
      items: [
        { a: 1, n: 1 },
        { a: '1', n: 1 },
        { a: null, n: 2 },
      ],
    },
  ],
];

test.each(cases.map(([handle, parameters, output]) => [handle.id, handle, parameters, output] as const))(
  '%#: %s',
  async (_id, handle, parameters, output) => {
    expect(JSON.stringify(await runToMain(handle, parameters))).toBe(JSON.stringify(output));
  },
);

describe('summarize computes', () => {
  const numbers = [4, 1, 3, 1].map((a) => ({ a }));
  const mixed: JsonValue[] = [{ a: 'b' }, { a: 2 }, {}, { a: null }, { a: 'a' }, { a: 2 }];
  const computations: readonly (readonly [string, readonly JsonValue[], JsonValue])[] = [
    ['count', mixed, 4],
    ['countDistinct', mixed, 3],
    ['sum', numbers, 9],
    ['sum', [], 0],
    ['average', numbers, 2.25],
    ['average', [{}], null],
    ['median', numbers, 2],
    ['median', numbers.slice(1), 1],
    ['median', [], null],
    ['min', mixed, 2],
    ['max', mixed, 'b'],
    ['max', [], null],
    ['first', mixed, 'b'],
    ['last', mixed, 2],
    ['list', mixed, ['b', 2, 'a', 2]],
    ['distinct', mixed, ['b', 2, 'a']],
  ];
  test.each(computations)('%s of %j: %j', async (operation, items, expected) => {
    const parameters = { items, values: { value: { operation, field: 'a' } } };
    expect(await runToMain(summarize, parameters)).toEqual({ items: [{ value: expected }] });
  });
});

const failures: readonly (readonly [PluginHandle, JsonObject, string])[] = [
  [limit, { items }, 'Parameter "count" must be an integer from 0 to 100000, got nothing'],
  [limit, { items, count: 1.5 }, 'Parameter "count" must be an integer'],
  [batch, { items, size: 0 }, 'Parameter "size" must be an integer from 1 to 100000'],
  [
    splitOut,
    { items: [{ l: [] }, { l: 'x' }], field: 'l' },
    'Parameter "items[1]" must be an item with a list at "field", got string',
  ],
  [
    splitOut,
    { items: Array(3).fill({ l: Array(40_000).fill(0) }), field: 'l' },
    'Parameter "items[2]" has more entries than fit: 100000 in all',
  ],
  [
    summarize,
    { items: [{ a: 1 }, { a: 'x' }], values: { total: { operation: 'sum', field: 'a' } } },
    'Parameter "items[1]" must have a number for "values.total", got string',
  ],
  [
    summarize,
    { items, groupBy: { n: 'a' }, values },
    'Parameter "values.n" must have a name that "groupBy" does not have',
  ],
  [
    summarize,
    { items, values: { n: { operation: 'mean' } } },
    'Parameter "values.n.operation" must be one of count,',
  ],
  [pick, { items: [1], fields: ['a'] }, 'Parameter "items[0]" must be a map, got number'],
  [
    renameKeys,
    { items: [{ a: 1, b: 2 }], names: { a: 'b' } },
    'Parameter "names" renames /a of items[0] to /b, which exists',
  ],
  [renameKeys, { names: { 'a..b': 'c' } }, 'Parameter "names" must be a path'],
  [aggregate, { items, fields: { a: '/~' } }, 'Parameter "fields.a" must be a path'],
  [compareLists, { left: [], right: {} }, 'Parameter "right" must be a list'],
];

test.each(failures.map(([handle, parameters, message]) => [handle.id, message, handle, parameters] as const))(
  '%s fails: %s',
  async (_id, message, handle, parameters) => {
    expect(await runNodeType(handle, parameters)).toMatchObject({
      failure: { message: expect.stringContaining(message) },
    });
  },
);

test('stopAndError fails with the name and the message of the workflow', async () => {
  const parameters = { message: 'Order {{ id }} is empty', name: 'EmptyOrder' };
  expect(await runNodeType(stopAndError, parameters, { id: 7 })).toEqual({
    failure: { name: 'EmptyOrder', message: 'Order 7 is empty' },
  });
});

describe('compareLists', () => {
  const list = fc.array(fc.record({ id: fc.nat(3), a: fc.nat(2) }), { maxLength: 8 });

  test('puts every item into one part, and pairs only by key, for any lists', async () => {
    await fc.assert(
      fc.asyncProperty(list, list, async (left, right) => {
        const parameters = JSON.parse(JSON.stringify({ left, right, by: ['id'] }));
        const parts = (await runToMain(compareLists, parameters)) as unknown as Parts;
        const { onlyLeft, onlyRight, same, different } = parts;
        const ofLeft = [...onlyLeft, ...same, ...different.map((pair) => pair.left)];
        const ofRight = [...onlyRight, ...same, ...different.map((pair) => pair.right)];
        expect(ofLeft.map(toValueKey).sort()).toEqual(left.map(toValueKey).sort());
        expect(ofRight.map(toValueKey).sort()).toEqual(right.map(toValueKey).sort());
        for (const pair of different) {
          expect(pair.left.id).toBe(pair.right.id);
          expect(pair.left).not.toEqual(pair.right);
        }
        const leftOver = new Set(onlyLeft.map(({ id }) => id));
        expect(onlyRight.some(({ id }) => leftOver.has(id))).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

interface Item {
  readonly [key: string]: number;
  readonly id: number;
  readonly a: number;
}

interface Parts {
  readonly onlyLeft: readonly Item[];
  readonly onlyRight: readonly Item[];
  readonly same: readonly Item[];
  readonly different: readonly { readonly left: Item; readonly right: Item }[];
}
