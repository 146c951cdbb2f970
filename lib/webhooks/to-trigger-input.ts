import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import type { Webhook, WebhookRequest } from './webhook.ts';

interface Arrived {
  readonly request: Pick<
    WebhookRequest,
    'method' | 'rawQueryString' | 'receivedAt' | 'remoteAddress' | 'requestPath'
  >;
  readonly webhook: Pick<Webhook, 'pathParams'>;
}

/**
 * The input of the trigger node; its keys are those of the node's output.
 *
 * @param headers - with credentials redacted
 * @param body - parsed
 */
export const toTriggerInput = (
  { request, webhook: { pathParams } }: Arrived,
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
  ...(pathParams === undefined ? {} : { pathParams }),
});
