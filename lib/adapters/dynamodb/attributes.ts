import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item of a table, in the form of the low-level API. */
export type Item = Record<string, AttributeValue>;

/** Attributes as stores write them: null and undefined ones are left out, and {@link json} and the like make the others. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | AttributeValue | null | undefined>
>;

export const toItem = (attributes: Attributes): Item => {
  const item: Item = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (typeof value === 'string') item[name] = { S: value };
    else if (typeof value === 'number') item[name] = { N: String(value) };
    else if (typeof value === 'boolean') item[name] = { BOOL: value };
    else if (value !== null && value !== undefined) item[name] = value;
  }
  return item;
};

/**
 * Structured values are stored as JSON in one string attribute, since DynamoDB refuses some numbers and keys that JSON
 * allows, and more than 32 levels of nesting.
 */
export const json = (value: unknown): AttributeValue | null =>
  value === null || value === undefined ? null : { S: JSON.stringify(value) };

/**
 * The length from which {@link longJson} compresses JSON, in characters: shorter JSON fits into one write unit with the
 * rest of a record.
 */
const COMPRESSED_FROM = 500;

/** Like {@link json}, but compressed if it is long, since every write is billed by the size of the item. */
export const longJson = (value: unknown): AttributeValue | null =>
  value === null || value === undefined ? null : longText(JSON.stringify(value));

/** A text that {@link readLongJson} reads. */
export const longText = (value: string): AttributeValue =>
  value.length < COMPRESSED_FROM ? { S: value } : bytes(deflateRawSync(value));

/** A packed text (see `packText`). Compressed data is stored as bytes, a quarter smaller than its base64. */
export const packed = (value: string | null | undefined): AttributeValue | string | null | undefined =>
  value?.startsWith('z') ? bytes(Buffer.from(value.slice(1), 'base64')) : value;

/** A binary attribute, with its bytes as the SDK has them; the JSON protocol sends them as base64. */
const bytes = (value: Uint8Array): AttributeValue => ({
  B: Object.assign(value, { toJSON: () => Buffer.from(value).toString('base64') }),
});

/** Returns meaningless text or bytes of the same length. */
export const blankOf = ({ S = '', B }: AttributeValue): AttributeValue =>
  B === undefined ? { S: '-'.repeat(S.length) } : bytes(new Uint8Array(B.length));

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
export const readNumber = <Missing extends number | null = number>(
  item: Item,
  name: string,
  initial: Missing = Number.NaN as Missing,
): number | Missing => (item[name]?.N === undefined ? initial : Number(item[name].N));

/**
 * @param initial - value of a missing attribute
 * @throws Error if the item does not have the attribute and there is no initial value
 */
export const readJson = <Value>(item: Item, name: string, initial?: Value): Value =>
  item[name] === undefined && initial !== undefined ? initial : JSON.parse(readText(item, name));
