import type { JsonValue } from '../contract/json.ts';

/**
 * Parses a JSON pointer (RFC 6901).
 * @returns a function that reads what it leads to, undefined if there is nothing; null if it is not a pointer
 */
export const parsePointer = (text: string): ((value: JsonValue) => JsonValue | undefined) | null => {
  if (text !== '' && !text.startsWith('/')) return null;
  const keys = text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (value) => keys.reduce<JsonValue | undefined>(readKey, value);
};

const readKey = (value: JsonValue | undefined, key: string): JsonValue | undefined => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  // `length` is an own property of a list, but not an item.
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as Readonly<Record<string, JsonValue>>)[key];
};
