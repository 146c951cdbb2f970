import type { JsonObject } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import { deliveryKeys } from '../workflows/definition/delivery-keys.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { compileExpression } from '../workflows/expressions/compile-expression.ts';
import type { Webhook } from './find-webhook.ts';

/**
 * Finds the key of a delivery: the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), else what the
 * trigger's `deduplication` finds in the request.
 *
 * @param request - the trigger's input
 * @returns null without a key: every delivery is a new one
 */
export const findDeliveryKey = async (
  request: JsonObject,
  { deduplication }: Pick<PathConfig, 'deduplication'>,
  execution: ExecutionInfo,
): Promise<string | null> => {
  const header = (request.headers as JsonObject)['idempotency-key'];
  if (typeof header === 'string' && header !== '') return header;
  if (deduplication === null) return null;
  const evaluate = compileExpression(deliveryKeys[deduplication] ?? deduplication);
  // An expression that fails finds no key: the request itself is valid.
  const scope = { input: request, nodes: {}, trigger: request, execution, seed: '' };
  const found = await Promise.resolve(evaluate(scope)).catch(() => null);
  return typeof found === 'number' || (typeof found === 'string' && found !== '') ? String(found) : null;
};

/**
 * The key of a delivery within its trigger. Where that has several methods, or a path with parameters, it is of one method and
 * path: requests for different resources are different deliveries, though a sender may count each resource's alone.
 */
export const toKeyInTrigger = (key: string, { workflow, config, pathParams }: Webhook): string => {
  const { method, triggerNodeId } = config;
  const isOnly = workflow.pathConfigs.filter((other) => other.triggerNodeId === triggerNodeId).length === 1;
  return isOnly && pathParams === undefined ? key : JSON.stringify([key, method, pathParams ?? {}]);
};
