import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { parsePointer } from '../tools/json-pointer.ts';

const value = JSON.parse('{"a":{"b":[10,20]},"":1,"x/y":2,"x~y":3,"__proto__":4,"n":null}') as JsonValue;

describe('a JSON pointer', () => {
  test.each<[string, JsonValue | undefined]>([
    ['', value],
    ['/', 1],
    ['/a/b', [10, 20]],
    ['/a/b/1', 20],
    ['/x~1y', 2],
    ['/x~0y', 3],
    ['/__proto__', 4],
    ['/n', null],
    ['/n/a', undefined],
    ['/a/b/2', undefined],
    ['/a/b/length', undefined],
    ['/a/b/-', undefined],
    ['/toString', undefined],
    ['/a/b/0/c', undefined],
  ])('%j', (pointer, found) => {
    expect(parsePointer(pointer)?.(value)).toEqual(found);
  });

  test.each(['a', 'a/b', '$.a', '#/a'])('%j is not one', (text) => {
    expect(parsePointer(text)).toBe(null);
  });
});
