import { expect, test } from '@jest/globals';
import { LruMap } from '../../lib/shared/cache.ts';

test('beyond the maximum, the least recently used entry is evicted', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test('an entry that is set again counts once', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect(['a', 'b'].map((key) => map.get(key))).toEqual([3, 2]);
});

test('a removed entry makes room', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.delete('b');
  map.delete('unknown');
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test('weighed entries are evicted until the rest fits; one that is too heavy by itself evicts nothing', () => {
  const map = new LruMap<string, number>(10, (key) => key.length);
  for (const key of ['aaaa', 'bbb', 'ccc']) map.set(key, key.length);
  map.set('ddddd', 5);
  expect(['aaaa', 'bbb', 'ccc', 'ddddd'].map((key) => map.get(key))).toEqual([undefined, undefined, 3, 5]);
  map.set('e'.repeat(11), 11);
  expect(['ccc', 'ddddd', 'e'.repeat(11)].map((key) => map.get(key))).toEqual([3, 5, undefined]);
});
