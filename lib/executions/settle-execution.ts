import type { Logger } from '../contract/services.ts';
import type { ExecutionEvents } from './execution-events.ts';
import type { ExecutionEnd, ExecutionRecord, ExecutionStart, ExecutionStore } from './execution-store.ts';

export interface SettleParts {
  readonly executions: Pick<ExecutionStore, 'finish' | 'announced'>;
  readonly events: ExecutionEvents;
  /** Whether the end of executions is told to the outside; without it nothing is left to do after the end. */
  readonly announces: boolean;
  readonly logger: Logger;
}

type Settled = Pick<
  ExecutionStart | ExecutionRecord,
  'executionId' | 'workflowId' | 'workflowVersion' | 'trigger' | 'mode' | 'startedAt' | 'retryOf'
>;

/**
 * Ends an execution, whoever finds that it has ended: records it, on the condition that nobody did before, and tells
 * of it. The record is marked until that was told, so that what a crash leaves untold is told by the sweeper.
 * @returns false when it had ended before: then nothing was changed, and nothing told
 * Rejects with AppError `STORE_UNAVAILABLE`.
 */
export const settleExecution = async (
  execution: Settled,
  end: Omit<ExecutionEnd, 'isToBeAnnounced'>,
  parts: SettleParts,
): Promise<boolean> => {
  const endedAt = Math.max(end.endedAt, execution.startedAt); // by the clock of another machine
  const isSettled = await parts.executions.finish(execution.executionId, {
    ...end,
    endedAt,
    isToBeAnnounced: parts.announces,
  });
  if (isSettled)
    await announceEnd({ ...execution, ...end, endedAt, isToBeAnnounced: parts.announces }, parts);
  return isSettled;
};

/** Tells of an end that is recorded. Never rejects: what could not be told stays marked. */
export const announceEnd = async (
  execution: Settled & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure' | 'isToBeAnnounced'>,
  { executions, events, logger }: SettleParts,
): Promise<void> => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf } = execution;
  const { status, endedAt, failure } = execution;
  try {
    await events.publish({
      ...{ executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf },
      ...{ status, endedAt, failure },
    });
    if (execution.isToBeAnnounced) await executions.announced(executionId);
  } catch (cause) {
    logger.error('The end of the execution is not announced.', { executionId, workflowId, cause });
  }
};
