import type { JsonValue } from '@hookloom/plugin-kit';

/** A text that two values share when they are equal as JSON: 1 and "1" differ, the order of keys does not matter. */
export const toKey = (value: JsonValue | undefined): string => {
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toKey).join()}]`;
  const entries = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${toKey(field)}`);
  return `{${entries.sort().join()}}`;
};
