import type { JsonObject } from '@hookloom/plugin-kit';
import { deliveryKeys } from '../workflows/definition/delivery-keys.ts';
import { compileExpression } from '../workflows/expressions/compile-expression.ts';
import { toRequestScope } from './request-scope.ts';
import type { Webhook } from './webhook.ts';

/**
 * Finds the key of a delivery: the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), else the
 * result of the trigger's `deduplication`.
 *
 * @param input - the trigger's output
 * @param receivedAt - milliseconds since the epoch
 * @returns null without a key: every delivery is new
 */
export const findDeliveryKey = (
  webhook: Webhook,
  input: JsonObject,
  receivedAt: number,
): string | null | Promise<string | null> => {
  const { deduplication } = webhook.config;
  const header = readIdempotencyKey(input.headers as JsonObject);
  if (header !== null) return header;
  return deduplication === null ? null : evaluateKey(deduplication, webhook, input, receivedAt);
};

const evaluateKey = async (
  deduplication: string,
  webhook: Webhook,
  input: JsonObject,
  receivedAt: number,
): Promise<string | null> => {
  const evaluate = compileExpression(deliveryKeys[deduplication] ?? deduplication);
  const needsParts = (webhook.workflow.definition.format ?? 1) > 1;
  const scope = { ...toRequestScope(webhook, input, receivedAt), needsParts };
  // A failing expression means no key: the request itself is valid.
  const found = await Promise.resolve(evaluate(scope)).catch(() => null);
  return typeof found === 'number' || (typeof found === 'string' && found !== '') ? String(found) : null;
};

/** The header `Idempotency-Key`, whose request keeps its answer, whatever it is; null without it. */
export const readIdempotencyKey = (headers: JsonObject): string | null => {
  const header = headers['idempotency-key'];
  return typeof header === 'string' && header !== '' ? header : null;
};

/**
 * The key of a delivery within its trigger. If the trigger has several methods, or a path with parameters, the key is
 * scoped to one method and path: requests for different resources are different deliveries, even if the sender numbers
 * them per resource.
 */
export const toKeyInTrigger = (key: string, { workflow, config, pathParams }: Webhook): string => {
  const { method, triggerNodeId } = config;
  const isOnly = workflow.pathConfigs.filter((other) => other.triggerNodeId === triggerNodeId).length === 1;
  return isOnly && pathParams === undefined ? key : JSON.stringify([key, method, pathParams ?? {}]);
};
