import { isId } from '../contract/ids.ts';
import { isPlainObject, type JsonObject } from '../contract/json.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import type { EventSource, TriggerAddress } from '../contract/plugin.ts';
import type { Clock } from '../contract/services.ts';
import { acceptDelivery } from '../deliveries/accept-delivery.ts';
import { type ClaimParts, claimDelivery } from '../deliveries/claim-delivery.ts';
import type { AcceptParts } from '../executions/lifecycle/accept-execution.ts';
import type { Workflow } from '../workflows/definition/definition.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';

export interface StartParts extends AcceptParts, ClaimParts {
  readonly workflows: Pick<WorkflowStore, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A trigger type that events fire. */
interface EventTrigger {
  readonly nodeType: string;
  readonly source: EventSource;
  readonly findNodeType: FindNodeType;
}

/**
 * Starts the execution of an event in the background, once for each key. An event for a workflow that is gone or
 * disabled, or without such a trigger, is logged and starts nothing.
 *
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`; TypeError when the trigger type gives no
 *   address, input or key
 */
export const startByEvent = async (
  event: JsonObject,
  { nodeType, source, findNodeType }: EventTrigger,
  parts: StartParts,
): Promise<void> => {
  const { logger, clock, workflows } = parts;
  const address = readAddress(event, source, nodeType);
  const workflow = await workflows.find(address.workflowId);
  const obstacle = findObstacle(workflow, address, nodeType);
  if (workflow === null || obstacle !== null) {
    logger.warn('The event starts nothing.', { nodeType, ...address, reason: obstacle });
    return;
  }
  const claimed = await claimDelivery(
    {
      workflow,
      trigger: { nodeId: address.triggerNodeId, type: nodeType },
      ...readEvent(event, source, nodeType),
      content: '', // the key alone counts: a repeated event has another count of receives, for example
      receivedAt: clock.now(),
      traceparent: null,
      keepsResult: false,
    },
    parts,
  );
  const known = await acceptDelivery(claimed, resolveExecution(workflow.definition, findNodeType), parts);
  const { executionId } = claimed.execution;
  logger.info('The event has an execution.', { ...address, executionId, isDuplicate: known !== null });
};

/** Why an event at this address starts nothing; null when it starts an execution. */
const findObstacle = (
  workflow: Workflow | null,
  { triggerNodeId }: TriggerAddress,
  nodeType: string,
): string | null => {
  if (workflow === null) return 'there is no such workflow';
  const { enabled, nodes } = workflow.definition;
  if (!enabled) return 'the workflow is disabled';
  const node = nodes.find(({ id }) => id === triggerNodeId);
  if (node?.type !== nodeType) return 'the workflow has no such trigger';
  return node.disabled === true ? 'the trigger is disabled' : null;
};

const readAddress = (event: JsonObject, source: EventSource, nodeType: string): TriggerAddress => {
  const address = source.toAddress(event);
  if (!isPlainObject(address) || !isId(address.workflowId) || !isId(address.triggerNodeId))
    throw new TypeError(`toAddress of ${nodeType} gives no address`);
  return { workflowId: address.workflowId, triggerNodeId: address.triggerNodeId };
};

const readEvent = (event: JsonObject, source: EventSource, nodeType: string) => {
  const input = source.toInput(event);
  if (!isPlainObject(input)) throw new TypeError(`toInput of ${nodeType} gives no object`);
  const key = source.toKey(event);
  if (typeof key !== 'string' || key === '') throw new TypeError(`toKey of ${nodeType} gives no key`);
  return { input, key };
};
