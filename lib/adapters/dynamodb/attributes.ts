import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** One item, as the low-level API has it. */
export type Item = Record<string, AttributeValue>;

/**
 * Structured values are JSON in one string attribute: DynamoDB refuses numbers and keys that JSON allows, and more than
 * 32 levels of nesting.
 */
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) });

/** Characters of JSON from which {@link longJson} compresses it: shorter ones fit beside the rest of a record in one write unit. */
const COMPRESSED_FROM = 500;

/** {@link json}, compressed where it is long: every write is billed by the size of the item. */
export const longJson = (value: unknown): AttributeValue => longText(JSON.stringify(value));

/** A text that {@link readLongJson} reads. */
export const longText = (value: string): AttributeValue =>
  value.length < COMPRESSED_FROM ? text(value) : bytes(deflateRawSync(value));

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const flag = (value: boolean): AttributeValue => ({ BOOL: value });

/** A packed text (see `packText`): what it has compressed is stored as bytes, a quarter smaller than its base64. */
export const packed = (value: string): AttributeValue =>
  value.startsWith('z') ? bytes(Buffer.from(value.slice(1), 'base64')) : text(value);

/** As the SDK has it; in the JSON protocol, bytes are base64. */
const bytes = (value: Uint8Array): AttributeValue => ({
  B: Object.assign(value, { toJSON: () => Buffer.from(value).toString('base64') }),
});

/** A text or bytes of the same length that say nothing. */
export const blankOf = ({ S = '', B }: AttributeValue): AttributeValue =>
  B === undefined ? text('-'.repeat(S.length)) : bytes(new Uint8Array(B.length));

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

/** Of {@link longJson}. @param initial - value of a missing attribute */
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
 * @throws Error for an item without the attribute, unless there is an initial value
 */
export const readJson = <Value>(item: Item, name: string, initial?: Value): Value =>
  item[name] === undefined && initial !== undefined ? initial : JSON.parse(readText(item, name));
