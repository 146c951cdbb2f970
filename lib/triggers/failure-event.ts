import type { JsonObject } from '@hookloom/plugin-kit';
import { describeExecution } from '../executions/record/describe-execution.ts';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';

/**
 * The event of an execution that ended badly, as error triggers get it: from its record alone, so that it is the same
 * whenever it is made, and without the data of the nodes.
 *
 * @param record - of an execution that has ended
 */
export const toFailureEvent = (record: ExecutionRecord): JsonObject => {
  const { executionId, workflowId, workflowVersion, mode, status, ...rest } = describeExecution(record);
  const { trigger, startedAt, endedAt, durationMs, retryOf, failure } = rest;
  return {
    failed: {
      ...{ executionId, workflowId, workflowVersion, mode, status, trigger },
      ...{ startedAt, endedAt, durationMs, retryOf, failure },
      show: {
        command: `npm run -s cli -- execution show ${executionId}`,
        path: `/api/admin/executions/${executionId}`,
      },
    },
  };
};
