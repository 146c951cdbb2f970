import type { JsonValue } from '../contract/json.ts';
import { isJsonMap } from '../declare/read-parameters.ts';

const MAX_LENGTH = 300;

/**
 * Keys under which services say what is wrong, by RFC 9457, OAuth, GraphQL and common practice; the more specific ones
 * first.
 */
const KEYS = ['message', 'error_description', 'detail', 'error', 'title', 'errors'] as const;

/**
 * Finds a service's message about a failure: the first text under one of the known keys, in a map or a list of maps.
 *
 * @returns one line of at most 300 characters; null if there is none
 */
export const findProblem = (body: JsonValue | undefined): string | null => {
  const text = findText(body, 3);
  if (text === null) return null;
  const line = text.slice(0, MAX_LENGTH).replaceAll(/\s+/g, ' ').trim();
  return line === '' ? null : line;
};

/** @param depth - how many nested levels are searched */
const findText = (value: JsonValue | undefined, depth: number): string | null => {
  if (depth < 0) return null;
  const place = Array.isArray(value) ? value[0] : value;
  if (!isJsonMap(place)) return null;
  for (const key of KEYS) {
    const found = Object.hasOwn(place, key) ? place[key] : undefined;
    const text = typeof found === 'string' ? found : findText(found, depth - 1);
    if (text !== null) return text;
  }
  return null;
};
