import type { JsonValue } from '@hookloom/plugin-kit';
import { operatorError } from '../shared/operator-errors.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * The body of a request that takes JSON; undefined without one. The content type has to say that it is JSON: a browser asks before it
 * sends that for a page of another origin, and sends texts, forms and bytes without asking.
 *
 * @param now - milliseconds since the epoch
 * @throws AppError `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const readJsonBody = (event: unknown, maxDepth: number, now: number): JsonValue | undefined => {
  const { headers, rawBody } = readWebhookEvent(event, now);
  if (rawBody.length === 0) return undefined;
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw operatorError('CONTENT_TYPE_UNSUPPORTED', {});
  return parseJsonBody(Buffer.from(rawBody).toString(), maxDepth);
};
