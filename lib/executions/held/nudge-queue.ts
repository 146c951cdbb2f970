import { isPlainObject, type Logger } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';
import type { HeldQueue } from './held-queues.ts';

/**
 * Has the sweeper release what a queue holds, now and not with its schedule.
 *
 * @param ended - an execution that has ended: the one that takes its place among the concurrent ones is released, and no other
 * @throws AppError `DISPATCH_REFUSED`
 */
export type NudgeQueue = (queue: HeldQueue, ended?: string) => Promise<void>;

/**
 * Nudges the queue of a trigger whose execution has ended, if others may wait for that. Never rejects: the schedule of the sweeper
 * finds them, too.
 */
export const createNudgeAfterEnd =
  (nudgeQueue: NudgeQueue, logger: Logger) =>
  async (
    { executionId, workflowId, releasedAt, trigger }: ExecutionRecord,
    { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  ): Promise<void> => {
    const rule = nodes.find(({ id }) => id === trigger.nodeId)?.parameters.concurrency;
    // Without `queue`, only executions that were stored during a pause wait for one another.
    const mayHold = isPlainObject(rule) && (rule.onLimit === 'queue' || releasedAt !== null);
    if (!mayHold) return;
    try {
      await nudgeQueue({ workflowId, triggerNodeId: trigger.nodeId }, executionId);
    } catch (cause) {
      logger.warn('The next held execution begins with a sweep.', { executionId, workflowId, cause });
    }
  };
