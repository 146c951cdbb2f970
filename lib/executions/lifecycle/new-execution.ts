import type { JsonObject } from '../../contract/json.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import type { ExecutionIdentity, ExecutionStart } from '../record/execution-store.ts';

/** An execution that is to be started, in this process or in the background. */
export interface NewExecution extends Pick<ExecutionIdentity, 'executionId' | 'trigger' | 'traceparent'> {
  readonly workflow: Workflow;
  /** What the trigger gets as its input. */
  readonly input: JsonObject;
  /** See {@link ExecutionStart}. */
  readonly keepsResult: boolean;
}

/** What depends on where and when it is started. */
type Circumstances = Pick<
  ExecutionStart,
  'mode' | 'status' | 'startedAt' | 'startToken' | 'input' | 'callbackKey'
>;

export const toStart = (
  { executionId, workflow, trigger, traceparent, keepsResult }: NewExecution,
  circumstances: Circumstances,
): ExecutionStart => ({
  executionId,
  workflowId: workflow.definition.id,
  workflowVersion: workflow.version,
  trigger,
  traceparent,
  keepsResult,
  retryOf: null,
  retriedCheckpoints: null,
  ...circumstances,
});
