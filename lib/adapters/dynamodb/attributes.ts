import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item of a table, in the form of the low-level API. */
export type Item = Record<string, AttributeValue>;

/**
 * Structured values are stored as JSON in one string attribute, since DynamoDB refuses some numbers and keys that JSON
 * allows, and more than 32 levels of nesting.
 */
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) });

/**
 * The length from which {@link longJson} compresses JSON, in characters: shorter JSON fits into one write unit with the
 * rest of a record.
 */
const COMPRESSED_FROM = 500;

/** Like {@link json}, but compressed if it is long, since every write is billed by the size of the item. */
export const longJson = (value: unknown): AttributeValue => longText(JSON.stringify(value));

/** A text that {@link readLongJson} reads. */
export const longText = (value: string): AttributeValue =>
  value.length < COMPRESSED_FROM ? text(value) : bytes(deflateRawSync(value));

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const flag = (value: boolean): AttributeValue => ({ BOOL: value });

/** A packed text (see `packText`). Compressed data is stored as bytes, a quarter smaller than its base64. */
export const packed = (value: string): AttributeValue =>
  value.startsWith('z') ? bytes(Buffer.from(value.slice(1), 'base64')) : text(value);

/** A binary attribute, with its bytes as the SDK has them; the JSON protocol sends them as base64. */
const bytes = (value: Uint8Array): AttributeValue => ({
  B: Object.assign(value, { toJSON: () => Buffer.from(value).toString('base64') }),
});

/** Returns meaningless text or bytes of the same length. */
export const blankOf = ({ S = '', B }: AttributeValue): AttributeValue =>
  B === undefined ? text('-'.repeat(S.length)) : bytes(new Uint8Array(B.length));

/** An attribute that an item has only if its value is neither null nor undefined; see {@link compact}. */
export const optional = <Value>(
  value: Value | null | undefined,
  toAttribute: (value: Value) => AttributeValue,
): AttributeValue | undefined => (value === null || value === undefined ? undefined : toAttribute(value));

/** Returns the attributes that are not undefined. */
export const compact = (attributes: Readonly<Record<string, AttributeValue | undefined>>): Item => {
  const item: Item = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value !== undefined) item[name] = value;
  }
  return item;
};

/** @throws Error if the item does not have this string */
export const readText = (item: Item, name: string): string => {
  const value = item[name]?.S;
  if (value === undefined) throw new Error(`a stored item has no string "${name}"`);
  return value;
};

/** Reads {@link longJson}. @param initial - value of a missing attribute */
export const readLongJson = <Value>(item: Item, name: string, initial: Value): Value => {
  const compressed = readBytes(item, name);
  return compressed === null
    ? readJson(item, name, initial)
    : JSON.parse(inflateRawSync(compressed).toString());
};

/** @returns null for a missing attribute */
export const readPacked = (item: Item, name: string): string | null => {
  const value = readBytes(item, name);
  return value === null ? (item[name]?.S ?? null) : `z${value.toString('base64')}`;
};

/** @returns null unless the attribute has bytes */
export const readBytes = (item: Item, name: string): Buffer | null => {
  const value: unknown = item[name]?.B;
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  return value instanceof Uint8Array ? Buffer.from(value) : null;
};

/** @param initial - value of a missing attribute */
export const readNumber = (item: Item, name: string, initial = Number.NaN): number =>
  Number(item[name]?.N ?? initial);

/**
 * @param initial - value of a missing attribute
 * @throws Error if the item does not have the attribute and there is no initial value
 */
export const readJson = <Value>(item: Item, name: string, initial?: Value): Value =>
  item[name] === undefined && initial !== undefined ? initial : JSON.parse(readText(item, name));
