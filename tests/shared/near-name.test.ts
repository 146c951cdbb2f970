import { describe, expect, test } from '@jest/globals';
import { findNearest, limitHints } from '../../lib/shared/near-name.ts';

describe('the suggested name', () => {
  const names = ['true', 'false', 'call-shop', 'sourceNodeId', 'timedOut', 'route', 'a'];

  test.each([
    ['True', 'true'],
    ['callShop', 'call-shop'],
    ['call_shop', 'call-shop'],
    ['source', 'sourceNodeId'],
    ['timedout', 'timedOut'],
    ['timeOut', 'timedOut'],
    ['ruote', 'route'],
    ['fasle', 'false'],
    ['call-shop-2', 'call-shop'],
  ])('for %s is %s', (name, near) => {
    expect(findNearest(name, names)).toBe(near);
  });

  test.each(['', 'xyz', 'completely-different', 'x'.repeat(10_000)])('is none for %s', (name) => {
    expect(findNearest(name, names)).toBeNull();
  });
});

test('hints are limited, so that a file of any size is checked in time', () => {
  const { findNearest: findOne, findNearName } = limitHints();
  const found = Array.from({ length: 300 }, (_, at) =>
    at % 2 === 0 ? findOne('tru', ['true']) : findNearName('tru', (name) => name === 'true'),
  );
  expect(found.filter((name) => name === 'true')).toHaveLength(100);
  expect(found.slice(100)).toEqual(Array(200).fill(null));
});
