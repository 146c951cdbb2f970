import type { JsonValue } from '../contract/json.ts';
import type { ExecutionResult } from '../engine/result.ts';
import type { ExecutionStatus } from '../executions/record/execution-status.ts';
import type { WebhookAnswer } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import type { ResponseMode } from '../workflows/definition/path-config.ts';
import { answerWithResponse } from './answer-with-response.ts';

/** The modes in which the caller waits for the run. */
type SynchronousMode = Exclude<ResponseMode, 'onReceived'>;

/** On every answer of a run that the caller waited for, whatever the workflow says: where its record is. */
const EXECUTION_ID_HEADER = 'hookloom-execution-id';

/** Told beside the answer that a delivery got which had come before (RFC 7240 §3 for the other one). */
const DUPLICATE_HEADER = 'hookloom-duplicate';

export interface Accepted {
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: ExecutionStatus;
  readonly isDuplicate: boolean;
  /** What the caller has wished for and is given: the value of `Preference-Applied`. */
  readonly preference?: string;
}

/** 202: the run is certain to happen, is happening, or has happened, as its status says. */
export const answerAccepted = ({
  executionId,
  workflowId,
  status,
  isDuplicate,
  preference,
}: Accepted): WebhookAnswer => {
  const body = { executionId, workflowId, status, ...(isDuplicate ? { duplicate: true } : {}) };
  const answer = { ...toJson(202, body), executionId };
  return withHeaders(answer, preference === undefined ? {} : { 'preference-applied': preference });
};

export const markDuplicate = (answer: WebhookAnswer): WebhookAnswer =>
  withHeaders(answer, { [DUPLICATE_HEADER]: 'true' });

export const withHeaders = (answer: WebhookAnswer, headers: WebhookAnswer['headers']): WebhookAnswer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

/**
 * What the caller gets who waited for the run. With `responseNode` the workflow has the word: what it answered
 * before it failed still is its answer. Without one, a run that failed is never a success.
 * @throws AppError `EXECUTION_FAILED` | `EXECUTION_TIMED_OUT` | `NO_RESPONSE` | `RESPONSE_INVALID`
 */
export const answerRun = (
  executionId: string,
  result: ExecutionResult,
  responseMode: SynchronousMode,
): WebhookAnswer => {
  const { status, headers, body } = toAnswer(executionId, result, responseMode);
  return { status, headers: { ...headers, [EXECUTION_ID_HEADER]: executionId }, body, executionId };
};

const toAnswer = (executionId: string, result: ExecutionResult, mode: SynchronousMode): WebhookAnswer => {
  const { status, output, response } = result;
  if (mode === 'responseNode' && response !== null) return answerWithResponse(executionId, response);
  if (status === 'timedOut') throw new AppError('EXECUTION_TIMED_OUT', { executionId });
  if (status === 'failed') throw new AppError('EXECUTION_FAILED', { executionId });
  if (mode === 'responseNode') throw new AppError('NO_RESPONSE', { executionId });
  return toJson(200, output);
};

const toJson = (status: number, value: JsonValue): WebhookAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});
