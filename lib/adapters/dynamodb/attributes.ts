import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** One item, as the low-level API has it. */
export type Item = Record<string, AttributeValue>;

/**
 * Structured values are JSON in one string attribute: DynamoDB refuses numbers and keys that JSON allows, and more than
 * 32 levels of nesting.
 */
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) });
export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const flag = (value: boolean): AttributeValue => ({ BOOL: value });

/** An attribute that an item has only when its value is neither null nor undefined; see {@link compact}. */
export const optional = <Value>(
  value: Value | null | undefined,
  toAttribute: (value: Value) => AttributeValue,
): AttributeValue | undefined => (value === null || value === undefined ? undefined : toAttribute(value));

/** Drops undefined attributes. */
export const compact = (attributes: Readonly<Record<string, AttributeValue | undefined>>): Item =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined),
  );

/** @throws Error for an item without this string */
export const readText = (item: Item, name: string): string => {
  const value = item[name]?.S;
  if (value === undefined) throw new Error(`a stored item has no text "${name}"`);
  return value;
};

/** @param initial - value of a missing attribute */
export const readNumber = (item: Item, name: string, initial = Number.NaN): number =>
  Number(item[name]?.N ?? initial);

/**
 * @param initial - value of a missing attribute
 * @throws Error for an item without the attribute, unless there is an initial value
 */
export const readJson = <Value>(item: Item, name: string, initial?: Value): Value =>
  item[name] === undefined && initial !== undefined ? initial : JSON.parse(readText(item, name));
