import type { HeldQueue } from '../../../executions/held/held-queues.ts';
import type { HoldReason } from '../../../executions/record/execution-store.ts';
import { isAppError } from '../../../shared/errors.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import type { ConcurrencyRule } from '../../../workflows/webhook-rules/limits/concurrency-rule.ts';
import type { Slot } from '../../limits/slots.ts';
import { createTakeSlot } from '../../limits/take-slot.ts';
import type { WebhookFeature } from '../../webhook-feature.ts';

/** So that a flood does not read the records of all executions for each request. */
const KNOWN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;
const MAX_QUEUED = 1_000;

/** Bounds how many executions of the workflow go on at once. */
export const concurrency: WebhookFeature = (value, ports) => {
  const { max, onLimit = 'refuse', maxQueued = MAX_QUEUED } = value as unknown as ConcurrencyRule;
  const takeSlot = createTakeSlot({ ...ports, knownMs: KNOWN_MS });

  const limited = () => featureError('CONCURRENCY_LIMITED', { max, retryAfterSeconds: RETRY_AFTER_SECONDS });

  const cancel = async (oldest: readonly Slot[]): Promise<boolean> => {
    for (const { executionId } of oldest) {
      try {
        await ports.cancelExecution(executionId);
      } catch (error) {
        // It has just ended, is not stored yet, or has a waiting caller: a later request finds which.
        const isLeft = isAppError(error, 'NOT_CANCELLABLE') || isAppError(error, 'EXECUTION_NOT_FOUND');
        if (isLeft) return false;
        throw error;
      }
    }
    return true;
  };

  /** Null when it may begin at once. A repeated delivery of an execution that is stored changes nothing. */
  const queueUp = async (queue: HeldQueue, executionId: string): Promise<HoldReason | null> => {
    const isKnown = async () => (await ports.executions.find(executionId)) !== null;
    const waiting = await ports.queues.count(queue, maxQueued);
    // Not before those that are held, even if a slot is free.
    if (waiting === 0 && (await takeSlot({ workflowId: queue.workflowId, executionId, max, isKnown })))
      return null;
    if (waiting >= maxQueued && !(await isKnown())) throw limited();
    return 'concurrency';
  };

  return {
    start: async ({ webhook: { workflow, config }, executionId, held }) => {
      if (held !== null) return held; // it takes a slot when it is released
      const workflowId = workflow.definition.id;
      if (onLimit === 'queue')
        return queueUp({ workflowId, triggerNodeId: config.triggerNodeId }, executionId);
      const isKnown = async () => (await ports.executions.find(executionId)) !== null;
      const end = onLimit === 'cancelOldest' ? { end: cancel } : {};
      if (!(await takeSlot({ workflowId, executionId, max, isKnown, ...end }))) throw limited();
      return null;
    },
  };
};
