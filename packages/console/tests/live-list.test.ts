import { describe, expect, test } from '@jest/globals';
import { mergeLatest } from '../src/parts/live-list.ts';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly isOpen?: boolean;
}

const KIND = {
  id: ({ id }: Row) => id,
  at: ({ at }: Row) => at,
  isOpen: ({ isOpen = false }: Row) => isOpen,
};

const row = (id: string, second: number, isOpen = false): Row => ({
  id,
  at: `2026-11-26T00:00:0${second}.000Z`,
  isOpen,
});

const merge = (shown: readonly Row[], latest: readonly Row[], isWhole = false) =>
  mergeLatest(shown, latest, isWhole, KIND);

describe('a list that is read while it grows', () => {
  test('keeps its rows in their places and counts those that came above them', () => {
    const { rows, added } = merge([row('b', 2), row('a', 1)], [row('c', 3), row('b', 2), row('a', 1)], true);
    expect([rows.map(KIND.id), added.map(KIND.id)]).toEqual([['b', 'a'], ['c']]);
  });

  test('shows the rows as they are now', () => {
    expect(merge([row('a', 1, true)], [row('a', 1, false)], true).rows).toEqual([row('a', 1, false)]);
  });

  test('drops a row that no longer matches the filter', () => {
    expect(merge([row('b', 2), row('a', 1)], [row('b', 2)], true).rows).toEqual([row('b', 2)]);
    expect(merge([row('c', 3), row('b', 2), row('a', 1)], [row('c', 3), row('a', 1)]).rows).toHaveLength(2);
  });

  test('keeps a row that was only pushed out of what is read again, and says when it may be out of date', () => {
    const ended = merge([row('a', 1)], [row('c', 3), row('b', 2)]);
    expect([ended.rows, ended.isBehind]).toEqual([[row('a', 1)], false]);
    expect(merge([row('a', 1, true)], [row('c', 3), row('b', 2)]).isBehind).toBe(true);
  });

  test('counts a row that came between those shown, but none of the next page', () => {
    const { added } = merge([row('d', 4), row('b', 2)], [row('d', 4), row('c', 3), row('b', 2), row('a', 1)]);
    expect(added.map(KIND.id)).toEqual(['c']);
  });
});
