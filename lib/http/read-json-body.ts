import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID, CONTENT_TYPE_UNSUPPORTED, QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { readQuery } from './read-parameters.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * The JSON body of a request; undefined without one. The content type must be JSON: for a page of another origin,
 * browsers send that only after a CORS preflight, but text, forms and bytes without one.
 *
 * @param now - milliseconds since the epoch
 * @throws AppError `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const readJsonBody = (event: unknown, maxDepth: number, now: number): JsonValue | undefined => {
  const { headers, rawBody } = readWebhookEvent(event, now);
  if (rawBody.length === 0) return undefined;
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new AppError(CONTENT_TYPE_UNSUPPORTED, {});
  return parseJsonBody(Buffer.from(rawBody).toString(), maxDepth);
};

const WHOLE_NUMBER = /^\d{1,15}$/;

/**
 * The options of a request, from its query or a JSON body; all are optional.
 *
 * @param names - the allowed options
 * @param numbers - the numeric ones: a query has only strings, while a JSON body is typed
 * @param now - milliseconds since the epoch
 * @throws AppError `QUERY_INVALID` | `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const readOptions = (
  event: unknown,
  { names, numbers = [] }: { readonly names: readonly string[]; readonly numbers?: readonly string[] },
  now: number,
): Readonly<Record<string, unknown>> => {
  const query = readQuery(event, names);
  const body = readJsonBody(event, 5, now) ?? {};
  if (!isPlainObject(body)) throw new AppError(BODY_INVALID, { reason: 'it must be a JSON object' });
  for (const name of Object.keys(body)) {
    if (!names.includes(name))
      throw new AppError(QUERY_INVALID, {
        reason: `unknown option ${JSON.stringify(name.slice(0, 40))}, expected ${names.join(' or ')}`,
      });
    if (Object.hasOwn(query, name)) throw new AppError(QUERY_INVALID, { reason: `${name} is given twice` });
  }
  const typed = Object.entries(query).map(([name, value]) => [
    name,
    numbers.includes(name) && WHOLE_NUMBER.test(value) ? Number(value) : value,
  ]);
  return { ...body, ...Object.fromEntries(typed) };
};
