import type { JsonValue } from '@hookloom/plugin-kit';

/**
 * A value as the text that PostgreSQL converts to the type of its place: a list becomes an array (`{1,2}`), a map JSON.
 * Null is NULL.
 */
export const toText = (value: JsonValue): string | null => {
  if (value === null) return null;
  if (Array.isArray(value)) return toArray(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const toArray = (items: readonly JsonValue[]): string => `{${items.map(toElement).join(',')}}`;

const toElement = (item: JsonValue): string => {
  if (Array.isArray(item)) return toArray(item);
  const text = toText(item);
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
};

/**
 * The JSON of a value in PostgreSQL's text format, by the name of its type. What a number of JSON can't hold exactly stays
 * text: int8 and numeric. Arrays, ranges and other types are text as well.
 */
export const fromText = (text: string, type: string): JsonValue => {
  switch (type) {
    case 'bool':
      return text === 't' || text === 'true';
    case 'int2':
    case 'int4':
    case 'oid':
      return Number(text);
    case 'float4':
    case 'float8':
      return Number.isFinite(Number(text)) ? Number(text) : text; // NaN and Infinity
    case 'json':
    case 'jsonb':
      return JSON.parse(text);
    case 'bytea':
      return Buffer.from(text.slice('\\x'.length), 'hex').toString('base64');
    case 'timestamp':
      return toIso(text, '');
    case 'timestamptz':
      return toIso(text, 'Z');
    default:
      return text;
  }
};

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:\+00)?$/;

/** Of the session's format `ISO, YMD` in UTC; infinity and years of more or less than four digits stay as they are. */
const toIso = (text: string, zone: string): string => {
  const [, date, time] = TIMESTAMP.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}${zone}`;
};
