import type { JsonObject, JsonValue } from '../contract/json.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import type { WebhookRequest } from './webhook-request.ts';

/**
 * The input of the trigger node, in the field names of its output.
 *
 * @param headers - with credentials redacted
 * @param body - parsed
 */
export const toTriggerInput = (
  request: Pick<WebhookRequest, 'method' | 'rawQueryString' | 'receivedAt' | 'remoteAddress' | 'requestPath'>,
  headers: WebhookRequest['headers'],
  body: JsonValue,
): JsonObject => ({
  triggeredAt: new Date(request.receivedAt).toISOString(),
  body,
  headers,
  queryParams: parseUrlEncoded(request.rawQueryString),
  requestMethod: request.method,
  requestPath: request.requestPath,
  remoteAddress: request.remoteAddress,
});
