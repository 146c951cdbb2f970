import type { DurableExecutionInvocationInput } from '@aws/durable-execution-sdk-js';
import { type AnswerPing, PING } from '../../health/ping.ts';

const PAYLOAD = JSON.stringify(PING);

/** A ping of the function for durable runs, which is invoked with executions alone, is the input of one. */
export const durablePing: AnswerPing = (event, toPong) => {
  const { InitialExecutionState } = event as Partial<DurableExecutionInvocationInput>;
  const payload = InitialExecutionState?.Operations?.[0]?.ExecutionDetails?.InputPayload;
  return payload === PAYLOAD ? { Status: 'SUCCEEDED', Result: JSON.stringify(toPong()) } : null;
};
