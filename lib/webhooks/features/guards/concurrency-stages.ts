import type { HeldQueue } from '../../../executions/held-queues.ts';
import type { Hold } from '../../../executions/record/execution-store.ts';
import { CONCURRENCY_LIMITED } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { ConcurrencyRule } from '../../../workflows/definition/path-config.ts';
import type { Slot } from '../../limits/slots.ts';
import { createTakeSlot } from '../../limits/take-slot.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';

/** Keeps a flood of requests from reading the records of all executions each time. */
const KNOWN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;
const MAX_QUEUED = 1_000;

export const limitRuns = (
  { max, onLimit = 'refuse', maxQueued = MAX_QUEUED }: ConcurrencyRule,
  ports: FeaturePorts,
): Stages => {
  const takeSlot = createTakeSlot({ ...ports, knownMs: KNOWN_MS });

  const limited = () => new AppError(CONCURRENCY_LIMITED, { max, retryAfterSeconds: RETRY_AFTER_SECONDS });

  // A flood of refused requests costs no calls: what was full a moment ago is assumed full.
  let fullAt = Number.NEGATIVE_INFINITY;
  const isRemembered = () => fullAt <= ports.clock.now() && ports.clock.now() - fullAt < KNOWN_MS;
  const refuse = () => {
    if (onLimit !== 'cancelOldest') fullAt = ports.clock.now();
    return limited();
  };

  const cancel = async (oldest: readonly Slot[]): Promise<boolean> => {
    for (const { executionId } of oldest) {
      try {
        await ports.cancelExecution(executionId);
      } catch (error) {
        // It has just ended, is not stored yet, or has a waiting caller: a later request finds out which.
        const isLeft = isAppError(error, 'NOT_CANCELLABLE') || isAppError(error, 'EXECUTION_NOT_FOUND');
        if (isLeft) return false;
        throw error;
      }
    }
    return true;
  };

  /** Queues an execution; null if it may start at once. A repeated delivery of a stored execution changes nothing. */
  const queueUp = async (
    queue: HeldQueue,
    executionId: string,
    isKnown: (() => Promise<boolean>) | undefined,
  ): Promise<Hold | null> => {
    const { waiting, lastPlace } = await ports.queues.measure(queue);
    // Not ahead of held executions, even if a slot is free.
    if (waiting === 0 && (await takeSlot({ workflowId: queue.workflowId, executionId, max, isKnown })))
      return null;
    if ((await isKnown?.()) === true) return { reason: 'concurrency' };
    const maxPlace = lastPlace - waiting + maxQueued;
    const now = ports.clock.now();
    const place = waiting < maxQueued ? await ports.queues.enter(queue, { now, maxPlace }) : null;
    if (place === null) throw refuse();
    return { reason: 'concurrency', place };
  };

  return {
    start: async ({ webhook: { workflow, config }, executionId, isRepeatable, held }) => {
      if (held !== null) return held; // it takes a slot when it is released
      const workflowId = workflow.definition.id;
      const isKnown = isRepeatable
        ? async () => (await ports.executions.find(executionId)) !== null
        : undefined;
      if (isRemembered() && (await isKnown?.()) !== true) throw limited();
      if (onLimit === 'queue')
        return queueUp({ workflowId, triggerNodeId: config.triggerNodeId }, executionId, isKnown);
      const end = onLimit === 'cancelOldest' ? { end: cancel } : {};
      if (!(await takeSlot({ workflowId, executionId, max, isKnown, ...end }))) throw refuse();
      return null;
    },
  };
};
