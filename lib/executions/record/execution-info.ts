import type { ExecutionInfo } from '@hookloom/plugin-kit';
import type { ExecutionIdentity } from './execution-store.ts';

/** An execution as its nodes and its expressions see it. */
export const toExecutionInfo = (execution: Omit<ExecutionIdentity, 'mode' | 'retryOf'>): ExecutionInfo => {
  const { executionId, workflowId, workflowVersion, trigger, startedAt, traceparent } = execution;
  return {
    ...{ executionId, workflowId, workflowVersion, trigger, startedAt: new Date(startedAt).toISOString() },
    ...(traceparent === null ? {} : { traceparent }),
  };
};
