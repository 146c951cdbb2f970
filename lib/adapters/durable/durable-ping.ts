import type { DurableExecutionInvocationInput } from '@aws/durable-execution-sdk-js';
import { isPing, type Pong } from '../../health/ping.ts';

/** Longer than a ping, shorter than the payload of an execution. */
const MAX_LENGTH = 30;

/** How a ping reaches the function for durable runs, which is invoked with executions alone: as the input of one. */
export const durablePing = {
  isPing: (event: unknown): boolean => {
    const { InitialExecutionState } = event as Partial<DurableExecutionInvocationInput>;
    const payload = InitialExecutionState?.Operations?.[0]?.ExecutionDetails?.InputPayload ?? '';
    return payload.length < MAX_LENGTH && payload.startsWith('{') && isPing(JSON.parse(payload));
  },
  toResult: (pong: Pong) => ({ Status: 'SUCCEEDED', Result: JSON.stringify(pong) }),
};
