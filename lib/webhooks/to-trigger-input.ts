import type { JsonObject, JsonValue } from '../contract/json.ts';
import { parsePairs } from './parse-pairs.ts';
import type { WebhookRequest } from './webhook-request.ts';

/**
 * What the trigger node gets as its input: the request in the words of its output.
 * @param headers without the credential that they carried
 * @param body parsed
 */
export const toTriggerInput = (
  request: Pick<WebhookRequest, 'method' | 'rawQueryString' | 'receivedAt' | 'remoteAddress' | 'requestPath'>,
  headers: WebhookRequest['headers'],
  body: JsonValue,
): JsonObject => ({
  triggeredAt: new Date(request.receivedAt).toISOString(),
  body,
  headers,
  queryParams: parsePairs(request.rawQueryString),
  requestMethod: request.method,
  requestPath: request.requestPath,
  remoteAddress: request.remoteAddress,
});
