import type { JsonObject } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import { compileExpression } from '../workflows/expressions.ts';
import type { PathConfig } from '../workflows/path-config.ts';

/**
 * Where well-known senders put what names a delivery: the same when they send it again.
 * https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers,
 * https://docs.stripe.com/webhooks#handle-duplicate-events, https://api.slack.com/apis/events-api#callback-field,
 * https://shopify.dev/docs/apps/build/webhooks/best-practices,
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const ready: Readonly<Record<string, string>> = {
  github: 'headers.`x-github-delivery`',
  stripe: 'body.id',
  slack: 'body.event_id',
  shopify: 'headers.`x-shopify-webhook-id`',
  standardWebhooks: 'headers.`webhook-id`',
};

/**
 * The key under which a sender delivers: the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), else
 * what the trigger's `deduplication` finds in the request; null when there is none, and every delivery is a new one.
 * @param request what the trigger gets
 */
export const findDeliveryKey = async (
  request: JsonObject,
  { deduplication }: Pick<PathConfig, 'deduplication'>,
  execution: ExecutionInfo,
): Promise<string | null> => {
  const header = (request.headers as JsonObject)['idempotency-key'];
  if (typeof header === 'string' && header !== '') return header;
  if (deduplication === null) return null;
  const evaluate = compileExpression(ready[deduplication] ?? deduplication);
  // An expression that can't be evaluated finds nothing: the request is as good as any other.
  const scope = { input: request, nodes: {}, trigger: request, execution, seed: '' };
  const found = await Promise.resolve(evaluate(scope)).catch(() => null);
  return typeof found === 'number' || (typeof found === 'string' && found !== '') ? String(found) : null;
};
