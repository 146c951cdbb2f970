import type { JsonValue } from '@hookloom/plugin-kit';
import { compareValues } from './order.ts';
import { toKey } from './to-key.ts';

/** A value of a group, with the place of its item in the list. */
interface Placed {
  readonly index: number;
  readonly value: JsonValue;
}

export const operations = [
  'count',
  'countDistinct',
  'sum',
  'average',
  'median',
  'min',
  'max',
  'first',
  'last',
  'list',
  'distinct',
] as const;

export type Operation = (typeof operations)[number];

/**
 * Computes one value of a group. Without values, a count and a sum are 0, lists are empty, and the others are null.
 *
 * @param name - of the value in the parameter `values`, for the error
 * @throws TypeError when a sum, an average or a median meets a value that is not a number
 */
export const summaryOf = (operation: Operation, placed: readonly Placed[], name: string): JsonValue => {
  const values = placed.map(({ value }) => value);
  switch (operation) {
    case 'count':
      return values.length;
    case 'countDistinct':
      return distinct(values).length;
    case 'sum':
      return sum(numbersOf(placed, name));
    case 'average':
      return values.length === 0 ? null : sum(numbersOf(placed, name)) / values.length;
    case 'median':
      return median(numbersOf(placed, name));
    case 'min':
      return least(values, 1);
    case 'max':
      return least(values, -1);
    case 'first':
      return values[0] ?? null;
    case 'last':
      return values.at(-1) ?? null;
    case 'list':
      return values;
    case 'distinct':
      return distinct(values);
  }
};

const numbersOf = (placed: readonly Placed[], name: string): number[] =>
  placed.map(({ index, value }) => {
    if (typeof value === 'number') return value;
    throw new TypeError(
      `Parameter "items[${index}]" must have a number for "values.${name}", got ${typeof value}; convert it before, or count instead`,
    );
  });

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const median = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : lower + (upper - lower) / 2;
};

/** The first of the least values, in an order or its reverse. */
const least = (values: readonly JsonValue[], direction: 1 | -1): JsonValue =>
  values.reduce<JsonValue>(
    (found, value) => (found === null || direction * compareValues(value, found) < 0 ? value : found),
    null,
  );

const distinct = (values: readonly JsonValue[]): JsonValue[] => {
  const byKey = new Map<string, JsonValue>();
  for (const value of values) {
    const key = toKey(value);
    if (!byKey.has(key)) byKey.set(key, value);
  }
  return [...byKey.values()];
};
