import type { JsonObject } from '@hookloom/plugin-kit';
import { toExecutionInfo } from '../executions/record/execution-store.ts';
import type { Scope } from '../workflows/expressions/scope.ts';
import type { Webhook } from './webhook.ts';

/** Step limit of an expression over a request: about a tenth of a second. */
export const REQUEST_STEPS = 200_000;

/**
 * The scope of expressions over a request before its execution exists: the execution id is empty.
 *
 * @param input - the trigger's output
 * @param receivedAt - milliseconds since the epoch
 */
export const toRequestScope = (
  { workflow, config: { triggerNodeId } }: Webhook,
  input: JsonObject,
  receivedAt: number,
): Scope => {
  const { definition, version: workflowVersion } = workflow;
  const type = definition.nodes.find(({ id }) => id === triggerNodeId)?.type ?? '';
  const trigger = { nodeId: triggerNodeId, type };
  const unstarted = { executionId: '', workflowId: definition.id, workflowVersion, trigger };
  const execution = toExecutionInfo({ ...unstarted, startedAt: receivedAt, traceparent: null });
  return { input, nodes: {}, trigger: input, execution, seed: '', maxSteps: REQUEST_STEPS };
};
