import {
  type EventSource,
  isPlainObject,
  type JsonObject,
  type TriggerAddress,
  type WorkflowNode,
} from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { acceptDelivery, type ClaimPorts, claimDelivery } from '../executions/deliveries/claim-delivery.ts';
import { findInputProblem } from '../executions/deliveries/find-input-problem.ts';
import { nodeTypesOf } from '../executions/lifecycle/plans.ts';
import type { AcceptPorts, Ports } from '../executions/ports.ts';
import { countStart, measure } from '../shared/metrics.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';

export interface StartParts extends AcceptPorts, ClaimPorts, Pick<Ports, 'workflows' | 'loadNodeTypes'> {
  /** Maximum nesting of what fires a trigger, in levels. */
  readonly maxInputDepth: number;
  /**
   * Polls for a trigger, in the function for express runs; absent where no such trigger fires.
   * @throws AppError `DISPATCH_REFUSED`
   */
  readonly startPoll?: (due: DuePoll) => Promise<void>;
}

/** What has caused an event. */
interface Cause {
  /** The trace context of its span; absent for none. */
  readonly traceparent?: string | null | undefined;
}

/** A poll that a schedule asks for. */
export interface DuePoll extends TriggerAddress {
  /** When it was due; identifies the poll when it is repeated. */
  readonly dueAt: string;
}

/**
 * Starts an execution for an event in the background, once for each key. An event for a workflow that was removed or
 * disabled, or that has no such trigger, is logged and starts nothing. If its data can't be run, the execution fails at
 * once, because its source would repeat it in vain. While the workflow has reached its limit of cost, events are held, and
 * times of schedules and polls start nothing; the next poll finds what is new.
 * @param findOwnObstacle - finds out why an event for an enabled trigger of an enabled workflow starts nothing, such as
 *   `the trigger now has different parameters`; null if it starts an execution
 * @returns false if it starts nothing
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`; TypeError if the trigger type is not fired by events, or
 * returns no input or key
 */
export const startByEvent = async (
  event: JsonObject,
  { workflowId, triggerNodeId, traceparent = null }: TriggerAddress & Cause,
  findOwnObstacle: (node: WorkflowNode, findNodeType: FindNodeType) => string | null | Promise<string | null>,
  parts: StartParts,
): Promise<boolean> => {
  const { logger, clock, workflows, loadNodeTypes } = parts;
  const startNothing = (reason: string): false => {
    logger.warn('The event starts nothing.', { workflowId, triggerNodeId, reason });
    return false;
  };
  const workflow = await workflows.find(workflowId);
  if (workflow === null) return startNothing('there is no such workflow');
  const { enabled, nodes } = workflow.definition;
  if (!enabled) return startNothing('the workflow is disabled');
  const node = nodes.find(({ id }) => id === triggerNodeId);
  if (node === undefined) return startNothing('the workflow has no such trigger');
  if (node.disabled === true) return startNothing('the trigger is disabled');
  const findNodeType = await loadNodeTypes(nodeTypesOf(workflow.definition));
  const obstacle = await findOwnObstacle(node, findNodeType);
  if (obstacle !== null) return startNothing(obstacle);

  const source = requireEventSource(node.type, findNodeType);
  const { input, key } = readEvent(event, node.type, source);
  const isHeld = workflow.atLimit !== undefined;
  if (isHeld && (source.poll !== undefined || node.type === SCHEDULE))
    return startNothing('the workflow has reached its maxCostPerMonth');
  if (source.poll !== undefined && parts.startPoll !== undefined) {
    await parts.startPoll({ workflowId, triggerNodeId, dueAt: key });
    return true;
  }
  const problem = findInputProblem(input, parts.maxInputDepth);
  const claimed = await claimDelivery(
    {
      execution: {
        workflow,
        trigger: { nodeId: node.id, type: node.type },
        ...(problem === null ? { input } : { input: {}, refusal: toRefusal(key, problem) }),
        traceparent,
        keepsResult: false,
      },
      key,
      content: '', // only the key matters: a repeated event has, for example, another receive count
      receivedAt: clock.now(),
    },
    parts,
  );
  const mode = resolveExecution(workflow.definition, findNodeType);
  const known = await acceptDelivery(claimed, mode, parts, isHeld ? { reason: 'paused' } : null);
  const { executionId } = claimed.execution;
  const isDuplicate = known !== null;
  logger.info('The event was accepted.', {
    workflowId,
    triggerNodeId,
    executionId,
    isDuplicate,
    ...(isDuplicate ? {} : measure(countStart(workflow.definition.settings?.metrics))),
  });
  return true;
};

/** Its times are not made up for: they are not something that a sender has sent. */
const SCHEDULE = 'scheduleTrigger';

/** Returns the event source that fires a trigger type. @throws TypeError if none does */
export const requireEventSource = (nodeType: string, findNodeType: FindNodeType): EventSource => {
  const source = findNodeType(nodeType)?.firedBy ?? null;
  if (source === null || typeof source === 'string') {
    throw new TypeError(`No installed trigger of the type ${nodeType} is fired by events.`);
  }
  return source;
};

/** The key of a batch grows with its messages. */
const MAX_KEY_LENGTH = 200;

const toRefusal = (key: string, problem: string): string =>
  `The event "${key.slice(0, MAX_KEY_LENGTH)}" can't be run: ${problem}.`;

const readEvent = (event: JsonObject, nodeType: string, source: EventSource) => {
  const input = source.toInput(event);
  if (!isPlainObject(input)) throw new TypeError(`toInput of ${nodeType} did not return an object`);
  const key = source.toKey(event);
  if (typeof key !== 'string' || key === '') throw new TypeError(`toKey of ${nodeType} did not return a key`);
  return { input, key };
};
