import type { Clock, Logger } from '../../contract/services.ts';
import { failOpenNodes, findOpenNode } from '../../engine/result.ts';
import type { EndedExecution, ExecutionEvents } from '../record/execution-events.ts';
import type { FinalStatus } from '../record/execution-status.ts';
import type {
  ExecutionEnd,
  ExecutionIdentity,
  ExecutionRecord,
  ExecutionStore,
} from '../record/execution-store.ts';

export interface FinishParts {
  readonly executions: Pick<ExecutionStore, 'finish' | 'markPublished'>;
  readonly events: ExecutionEvents;
  /** Whether ends are in the outbox until their event is published; false without an event bus. */
  readonly usesOutbox: boolean;
  readonly logger: Logger;
}

/**
 * Records the end of an execution, on the condition that it has none, then publishes it. Never in the other order: an end
 * that is not recorded may be replaced by another one. The record stays in the outbox until the event is published, so
 * that the sweeper publishes what a crash leaves.
 *
 * @returns false, with nothing changed or published, when it had ended before
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const finishExecution = async (
  execution: ExecutionIdentity,
  end: Omit<ExecutionEnd, 'isInOutbox'>,
  parts: FinishParts,
): Promise<boolean> => {
  const endedAt = Math.max(end.endedAt, execution.startedAt); // clocks of two machines differ
  const isInOutbox = parts.usesOutbox;
  const isFinished = await parts.executions.finish(execution.executionId, { ...end, endedAt, isInOutbox });
  if (isFinished) await publishEnd({ ...execution, ...end, endedAt, isInOutbox }, parts);
  return isFinished;
};

/**
 * Finishes an execution that its run does not finish. Completed nodes keep their records; open ones fail for the same
 * reason.
 *
 * @param reason - the failure; at the last open node unless it names another one
 * @returns see {@link finishExecution}
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const finishEarly = (
  record: ExecutionRecord,
  status: Exclude<FinalStatus, 'succeeded'>,
  reason: { readonly nodeId?: string; readonly name: string; readonly message: string },
  parts: FinishParts & { readonly clock: Pick<Clock, 'now'> },
  extra: Pick<ExecutionEnd, 'checkpoints'> = {},
): Promise<boolean> => {
  const { nodes, nodesOmitted, trigger } = record;
  const { nodeId = findOpenNode(nodes)?.nodeId ?? trigger.nodeId, name, message } = reason;
  const endedAt = parts.clock.now();
  const failure = { nodeId, name, message };
  const end = { status, endedAt, nodes: failOpenNodes(nodes, endedAt, failure), nodesOmitted, failure };
  return finishExecution(record, { ...end, ...extra }, parts);
};

/** Publishes a recorded end. Never rejects: an end that can't be published stays in the outbox. */
export const publishEnd = async (
  execution: EndedExecution & Pick<ExecutionEnd, 'isInOutbox'>,
  { executions, events, logger }: FinishParts,
): Promise<void> => {
  const { executionId, workflowId, isInOutbox } = execution;
  try {
    await events.publish(toEnded(execution));
  } catch (cause) {
    logger.error('The end of the execution is not published.', { executionId, workflowId, cause });
    return;
  }
  if (!isInOutbox) return;
  try {
    await executions.markPublished(executionId);
  } catch (cause) {
    logger.warn('The end of the execution is published, and will be again.', { executionId, cause });
  }
};

const toEnded = (execution: EndedExecution): EndedExecution => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf } = execution;
  const { status, endedAt, failure, traceparent } = execution;
  return {
    ...{ executionId, workflowId, workflowVersion, trigger, mode, startedAt, retryOf },
    ...{ status, endedAt, failure, traceparent },
  };
};
