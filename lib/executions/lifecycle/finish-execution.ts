import type { Logger } from '../../contract/services.ts';
import type { ExecutionEnd, ExecutionStore } from '../record/execution-store.ts';
import type { EndedExecution, ExecutionEvents } from './execution-events.ts';

export interface FinishParts {
  readonly executions: Pick<ExecutionStore, 'finish' | 'markPublished'>;
  readonly events: ExecutionEvents;
  /** Whether the end of executions is told to the outside; without it nothing is left to do after the end. */
  readonly usesOutbox: boolean;
  readonly logger: Logger;
}

/** What is known of it before its end. */
type Settled = Omit<EndedExecution, 'status' | 'endedAt' | 'failure'>;

/**
 * Finishes an execution: records its end, on the condition that it has none, then publishes it. Never the other way
 * round: an end that could not be recorded is followed by another one. The record is marked until the event was
 * published, so that the sweeper publishes what a crash leaves.
 * @returns false when it had ended before: then nothing was changed, and nothing published
 * @throws {AppError} STORE_UNAVAILABLE
 */
export const finishExecution = async (
  execution: Settled,
  end: Omit<ExecutionEnd, 'isInOutbox'>,
  parts: FinishParts,
): Promise<boolean> => {
  const endedAt = Math.max(end.endedAt, execution.startedAt); // by the clock of another machine
  const isSettled = await parts.executions.finish(execution.executionId, {
    ...end,
    endedAt,
    isInOutbox: parts.usesOutbox,
  });
  if (isSettled) await publishEnd({ ...execution, ...end, endedAt, isInOutbox: parts.usesOutbox }, parts);
  return isSettled;
};

/** Tells of an end that is recorded. Never rejects: what could not be told stays marked. */
export const publishEnd = async (
  execution: Settled & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure' | 'isInOutbox'>,
  { executions, events, logger }: FinishParts,
): Promise<void> => {
  const { executionId, isInOutbox } = execution;
  if (!(await tell(execution, events, logger)) || !isInOutbox) return;
  try {
    await executions.markPublished(executionId);
  } catch (cause) {
    logger.warn('The end of the execution is announced, and will be again.', { executionId, cause });
  }
};

/** False, and in the log, when it could not be told. */
const tell = async (
  execution: Settled & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure'>,
  events: ExecutionEvents,
  logger: Logger,
): Promise<boolean> => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf } = execution;
  const { status, endedAt, failure, traceparent } = execution;
  try {
    await events.publish({
      ...{ executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf },
      ...{ status, endedAt, failure, traceparent },
    });
    return true;
  } catch (cause) {
    logger.error('The end of the execution is not announced.', { executionId, workflowId, cause });
    return false;
  }
};
