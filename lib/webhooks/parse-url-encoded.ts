import { unescape as decodePercent } from 'node:querystring';
import type { JsonObject } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';
import { createFields } from './body/fields.ts';

/** A query is far shorter than as many. */
const MAX_FIELDS = 50_000;

/**
 * Parses a query string or a form body into a map; a repeated name gives an array. Malformed percent sequences stay as
 * they are, bytes that are not UTF-8 become U+FFFD.
 *
 * https://url.spec.whatwg.org/#urlencoded-parsing, written out because Node's `URLSearchParams` takes time that grows
 * with the square of the number of pairs: minutes for a body of 6 MB.
 *
 * @throws AppError `BODY_INVALID` for too many fields
 */
export const parseUrlEncoded = (text: string): JsonObject => {
  const fields = createFields();
  let count = 0;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const ampersand = text.indexOf('&', start);
    end = ampersand < 0 ? text.length : ampersand;
    if (start === end) continue;
    count += 1;
    if (count > MAX_FIELDS)
      throw new AppError('BODY_INVALID', { reason: `it has more than ${MAX_FIELDS} fields` });
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
