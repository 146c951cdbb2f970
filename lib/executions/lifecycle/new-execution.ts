import type { JsonObject } from '@hookloom/plugin-kit';
import type { Workflow } from '../../workflows/definition/definition.ts';
import type { ExecutionIdentity, ExecutionStart } from '../record/execution-store.ts';

export interface NewExecution
  extends Pick<ExecutionIdentity, 'executionId' | 'trigger' | 'traceparent'>,
    Pick<ExecutionStart, 'requestId' | 'editedInput'> {
  readonly workflow: Workflow;
  /** The input of the trigger. */
  readonly input: JsonObject;
  /** Why the input can't be run. The input is not kept, and the execution fails as soon as it is run. */
  readonly refusal?: string;
  /** Whether the execution keeps its result: see {@link ExecutionStart}. */
  readonly keepsResult: boolean;
  /** What it takes over from the execution that it retries; absent for none. */
  readonly takenOver?: Pick<ExecutionStart, 'retryOf' | 'retriedCheckpoints'>;
}

type StartOptions = Pick<
  ExecutionStart,
  'mode' | 'status' | 'startedAt' | 'startToken' | 'input' | 'callbackKey'
> &
  Partial<Pick<ExecutionStart, 'held' | 'place' | 'retryOf' | 'retriedCheckpoints' | 'variables'>>;

/** The start of a run in this process, which is never resumed: if it fails, its input is kept for a retry. */
export const INLINE_START = { mode: 'inline', status: 'running', input: null, callbackKey: null } as const;

export const toStart = (
  {
    executionId,
    workflow,
    trigger,
    traceparent,
    requestId = null,
    editedInput,
    keepsResult,
    takenOver,
  }: Omit<NewExecution, 'input'>,
  options: StartOptions,
): ExecutionStart => {
  const { id: workflowId, settings = {} } = workflow.definition;
  return {
    executionId,
    workflowId,
    workflowVersion: workflow.version,
    trigger,
    traceparent,
    requestId,
    keepsResult,
    held: null,
    retryOf: null,
    retriedCheckpoints: null,
    ...takenOver,
    ...(workflow.variables && { variables: workflow.variables }),
    ...(settings.metrics === true && { hasMetrics: true }),
    ...(settings.maxCostPerMonth !== undefined && { maxCost: settings.maxCostPerMonth }),
    ...(settings.highVolume === true && { isHighVolume: true }),
    ...(editedInput && { editedInput }),
    ...options,
  };
};
