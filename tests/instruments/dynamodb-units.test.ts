import { describe, expect, test } from '@jest/globals';
import { itemSize } from '../../lib/adapters/dynamodb/item-size.ts';
import {
  computeReadUnits,
  computeWriteUnits,
  type Item,
  type TableDefinition,
} from '../support/dynamodb-units.ts';

/** An index of keys alone, one with a projected attribute. */
const table: TableDefinition = {
  TableName: 'things',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byShard',
      KeySchema: [{ AttributeName: 'shard', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status'] },
    },
  ],
};

const anItem = (texts: Readonly<Record<string, string>> = {}): Item =>
  Object.fromEntries(Object.entries({ id: 'a', ...texts }).map(([name, S]) => [name, { S }]));

/** With its name 1,024 bytes, beside the key of three. */
const kilobyte = 'x'.repeat(1_020);

describe('write units', () => {
  test.each<[string, Item | null, Item | null, number]>([
    ['an item of up to a kilobyte', null, anItem(), 1],
    ['one of three bytes more', null, anItem({ data: kilobyte }), 2],
    ['a change that makes it smaller', anItem({ data: kilobyte }), anItem(), 2],
    ['a removal', anItem({ data: kilobyte }), null, 2],
    ['a failed condition on no item', null, null, 1],
    ['a failed condition on an item', anItem({ shard: '1' }), anItem({ shard: '1' }), 1],
    ['a new entry of an index', anItem(), anItem({ shard: '1' }), 2],
    ['a removed entry', anItem({ shard: '1' }), anItem(), 2],
    ['an entry that moves', anItem({ shard: '1' }), anItem({ shard: '2' }), 3],
    ['a change that no index holds', anItem({ shard: '1' }), anItem({ shard: '1', data: 'x' }), 1],
    ['a change of a projected attribute', anItem({ owner: '1' }), anItem({ owner: '1', status: 'x' }), 2],
    ['entries of both indexes', null, anItem({ shard: '1', owner: '1' }), 3],
    ['a large attribute that no index holds', null, anItem({ shard: '1', data: kilobyte }), 3],
  ])('%s', (_title, before, after, units) => {
    expect(computeWriteUnits(before, after, table)).toBe(units);
  });
});

describe('an item', () => {
  test.each<[Item, number]>([
    [{ s: { S: 'é' } }, 3],
    [{ n: { N: '-12345' } }, 5],
    [{ n: { N: '1200000' } }, 3],
    [{ n: { N: '0.00120' } }, 3],
    [{ ns: { NS: ['1', '23'] } }, 6],
    [{ bs: { BS: ['AAAA' as never] } }, 5],
    [{ b: { B: 'AAAA' as never } }, 4],
    [{ t: { BOOL: true } }, 2],
    [{ l: { L: [{ S: 'ab' }] } }, 7],
    [{ m: { M: { k: { S: 'ab' } } } }, 8],
  ])('%j has %i bytes', (item, bytes) => {
    expect(itemSize(item)).toBe(bytes);
  });

  test('is read in half units of 4 kB, or in whole ones when the read is consistent', () => {
    const large = anItem({ data: 'x'.repeat(4_096) });
    expect([computeReadUnits(null, false), computeReadUnits(large, false)]).toEqual([0.5, 1]);
    expect([computeReadUnits(null, true), computeReadUnits(large, true)]).toEqual([1, 2]);
  });
});
