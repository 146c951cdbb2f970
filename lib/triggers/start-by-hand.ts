import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { acceptDelivery, claimDelivery } from '../executions/deliveries/claim-delivery.ts';
import { findInputProblem } from '../executions/deliveries/find-input-problem.ts';
import { requireDeclaredInput } from '../executions/deliveries/require-declared-input.ts';
import { nodeTypesOf } from '../executions/lifecycle/plans.ts';
import { BODY_INVALID, NOT_STARTABLE, WORKFLOW_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';
import type { StartParts } from './start-by-event.ts';

/** A manual start, as an operator requests it. */
interface HandStart {
  readonly workflowId: string;
  /** The trigger to start; null for the only enabled trigger. */
  readonly triggerNodeId: string | null;
  /** The trigger's input, in the shape of that trigger, which fills in what is missing if it can. */
  readonly input: JsonObject;
  /** The key, which is the same for a repeated request; null if each request is new. */
  readonly key: string | null;
  /** The content, which a repeated request repeats byte for byte. */
  readonly content: string | Uint8Array;
  readonly traceparent: string | null;
  /** Whether the output is kept for a caller that waits. */
  readonly keepsResult: boolean;
}

/**
 * Starts a workflow in the background from any of its triggers, without that trigger's event. The record says that it
 * was started by hand.
 * @throws AppError `WORKFLOW_NOT_FOUND` | `NOT_STARTABLE` | `BODY_INVALID` | `BODY_SCHEMA_MISMATCH` | `DELIVERY_KEY_REUSED` |
 * `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`
 */
export const startByHand = async (
  { workflowId, triggerNodeId, input, key, content, traceparent, keepsResult }: HandStart,
  parts: StartParts,
) => {
  const problem = findInputProblem(input, parts.maxInputDepth);
  if (problem !== null) throw new AppError(BODY_INVALID, { reason: problem });
  const workflow = await parts.workflows.find(workflowId);
  if (workflow === null) throw new AppError(WORKFLOW_NOT_FOUND, { workflowId });
  const { definition, version } = workflow;
  if (!definition.enabled)
    throw notStartable(workflowId, `it is disabled; enable it first: workflow enable ${workflowId}`);
  const findNodeType = await parts.loadNodeTypes(nodeTypesOf(definition));
  const node = chooseTrigger(workflowId, triggersOf(definition.nodes, findNodeType), triggerNodeId);
  await requireDeclaredInput(node, input);
  const claimed = await claimDelivery(
    {
      execution: {
        workflow,
        trigger: { nodeId: node.id, type: node.type, byHand: true },
        input,
        traceparent,
        keepsResult,
      },
      // Distinct from the keys of deliveries to the trigger.
      key: key === null ? null : JSON.stringify(['by hand', key]),
      content,
      receivedAt: parts.clock.now(),
    },
    parts,
  );
  const known = await acceptDelivery(claimed, resolveExecution(definition, findNodeType), parts);
  const { executionId } = claimed.execution;
  return {
    executionId,
    workflowId,
    workflowVersion: known?.workflowVersion ?? version,
    status: known?.status ?? 'accepted',
    isDuplicate: known !== null,
    hasMetrics: definition.settings?.metrics,
  };
};

const triggersOf = (nodes: readonly WorkflowNode[], findNodeType: FindNodeType): readonly WorkflowNode[] =>
  nodes.filter(({ type, disabled }) => disabled !== true && findNodeType(type)?.kind === 'trigger');

/** @throws AppError `NOT_STARTABLE`, naming the available triggers */
const chooseTrigger = (
  workflowId: string,
  triggers: readonly WorkflowNode[],
  triggerNodeId: string | null,
): WorkflowNode => {
  const [only] = triggers;
  if (only === undefined) throw notStartable(workflowId, 'it has no enabled trigger');
  const names = triggers.map(({ id, type }) => `${id} (${type})`).join(', ');
  if (triggerNodeId === null) {
    if (triggers.length === 1) return only;
    throw notStartable(workflowId, `it has several triggers, so name one of them: ${names}`);
  }
  const named = triggers.find(({ id }) => id === triggerNodeId);
  if (named !== undefined) return named;
  throw notStartable(workflowId, `it has no enabled trigger of that name; it has ${names}`);
};

const notStartable = (workflowId: string, reason: string): AppError =>
  new AppError(NOT_STARTABLE, { workflowId, reason });
