import type { JsonValue } from '@hookloom/plugin-kit';
import { CONTENT_TYPE_UNSUPPORTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { parseJsonBody } from './parse-json-body.ts';
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
