import { unescape as decodePercent } from 'node:querystring';
import type { JsonObject } from '../contract/json.ts';
import { createFields } from './body/fields.ts';

/**
 * Parses a query string or a form body into a map; a repeated name gives an array. Never throws: malformed percent
 * sequences stay as they are, bytes that are not UTF-8 become U+FFFD.
 *
 * https://url.spec.whatwg.org/#urlencoded-parsing, written out because Node's `URLSearchParams` takes time that grows
 * with the square of the number of pairs: minutes for a body of 6 MB.
 */
export const parseUrlEncoded = (text: string): JsonObject => {
  const fields = createFields();
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const ampersand = text.indexOf('&', start);
    end = ampersand < 0 ? text.length : ampersand;
    if (start === end) continue;
    const pair = text.slice(start, end);
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    fields.add(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return fields.toObject();
};

const decode = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  return spaced.includes('%') ? decodePercent(spaced) : spaced;
};
