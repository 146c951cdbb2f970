import { unescape as decodePercent } from 'node:querystring';
import type { JsonObject, JsonValue } from '../contract/json.ts';

/**
 * Parses a query string or a form body into a map; a repeated name gives an array. Never throws: malformed percent
 * sequences stay as they are, bytes that are not UTF-8 become U+FFFD.
 *
 * https://url.spec.whatwg.org/#urlencoded-parsing, written out because Node's `URLSearchParams` takes time that grows
 * with the square of the number of pairs: minutes for a body of 6 MB.
 */
export const parseUrlEncoded = (text: string): JsonObject => {
  const values = new Map<string, JsonValue>();
  const repeated = new Map<string, JsonValue[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const first = values.get(name);
    if (first === undefined) {
      values.set(name, value);
      continue;
    }
    const list = repeated.get(name) ?? [first];
    list.push(value);
    repeated.set(name, list);
    values.set(name, list);
  }
  return Object.fromEntries(values); // defines properties, so that a name such as `__proto__` is data
};

const decode = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  return spaced.includes('%') ? decodePercent(spaced) : spaced;
};
