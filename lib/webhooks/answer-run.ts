import type { ExecutionResult } from '../engine/result.ts';
import type { ExecutionStatus } from '../executions/record/execution-store.ts';
import { type Answer, answerJson, EXECUTION_ID_HEADER } from '../shared/answer.ts';
import { EXECUTION_FAILED, EXECUTION_TIMED_OUT, NO_RESPONSE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { ResponseMode } from '../workflows/definition/path-config.ts';
import { answerWithResponse } from './answer-with-response.ts';

const DUPLICATE_HEADER = 'hookloom-duplicate';

export interface Accepted {
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: ExecutionStatus;
  readonly isDuplicate: boolean;
}

/** 202: the execution is stored and guaranteed to run; `status` is its current status. */
export const answerAccepted = ({ executionId, workflowId, status, isDuplicate }: Accepted): Answer => {
  const body = { executionId, workflowId, status, ...(isDuplicate ? { duplicate: true } : {}) };
  return { ...answerJson(202, body), executionId };
};

export const markDuplicate = (answer: Answer): Answer => withHeaders(answer, { [DUPLICATE_HEADER]: 'true' });

export const withHeaders = (answer: Answer, headers: Answer['headers']): Answer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

/**
 * Answers a synchronous run. With `responseNode`, a response that a node emitted is sent even if the run fails
 * afterwards; otherwise a failed run never gets a success response.
 *
 * @throws AppError `EXECUTION_FAILED` | `EXECUTION_TIMED_OUT` | `NO_RESPONSE` | `RESPONSE_INVALID`
 */
export const answerRun = (executionId: string, result: ExecutionResult, mode: ResponseMode): Answer =>
  nameExecution(executionId, toAnswer(executionId, result, mode));

/** Adds the execution id, for the caller and the log. */
export const nameExecution = (executionId: string, answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, [EXECUTION_ID_HEADER]: executionId },
  executionId,
});

const toAnswer = (executionId: string, result: ExecutionResult, mode: ResponseMode): Answer => {
  const { status, output, response } = result;
  if (mode === 'responseNode' && response !== null) return answerWithResponse(executionId, response);
  if (status === 'timedOut') throw new AppError(EXECUTION_TIMED_OUT, { executionId });
  if (status === 'failed') throw new AppError(EXECUTION_FAILED, { executionId });
  if (mode === 'responseNode') throw new AppError(NO_RESPONSE, { executionId });
  return answerJson(200, output);
};
