import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** One item, as the low-level API has it. */
export type Item = Record<string, AttributeValue>;

/**
 * Whatever has a shape of its own is one text attribute: DynamoDB refuses numbers and keys that JSON allows, and
 * more than 32 levels of nesting.
 */
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) });
export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const flag = (value: boolean): AttributeValue => ({ BOOL: value });

/** @throws {Error} for an item that we can't have written */
export const readText = (item: Item, name: string): string => {
  const value = item[name]?.S;
  if (value === undefined) throw new Error(`a stored item has no text "${name}"`);
  return value;
};

export const readNumber = (item: Item, name: string): number => Number(item[name]?.N);

/** @throws {Error} for an item that we can't have written */
export const readJson = <Value>(item: Item, name: string): Value => JSON.parse(readText(item, name));
