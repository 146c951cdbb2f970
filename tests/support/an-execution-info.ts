import type { ExecutionInfo } from '@hookloom/plugin-kit';

/** An execution of the graph of `aGraph`. */
export const anExecutionInfo = (startedAt: number | string = '2026-01-02T03:04:05.678Z'): ExecutionInfo => ({
  executionId: 'e-1',
  workflowId: 'workflow',
  workflowVersion: 1,
  trigger: { nodeId: 'start', type: 'type-start' },
  startedAt: new Date(startedAt).toISOString(),
  stage: 'test',
});
