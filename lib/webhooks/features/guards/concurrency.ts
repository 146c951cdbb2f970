import { isFinal } from '../../../executions/record/execution-status.ts';
import { createCache } from '../../../shared/cache.ts';
import { isAppError } from '../../../shared/errors.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import type { ConcurrencyRule } from '../../../workflows/webhook-rules/concurrency-rule.ts';
import type { Slot } from '../../limits/slots.ts';
import type { FeaturePorts, WebhookFeature } from '../../webhook-feature.ts';

/** How long an execution may have a slot without a record, or run inline: longer than the function's own time. */
const GRACE_MS = 60_000;
/** How long it is believed that an execution goes on, so that a flood does not read the records of all, each time. */
const KNOWN_MS = 1_000;
/** Others take the slots that are found free. */
const MAX_TRIES = 5;
const MAX_KNOWN = 1_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Bounds how many executions of the workflow go on at once. Slots are not given back: one is free when the record of its
 * execution is final, which is found out when all are taken. So no end of a run, and no crash, can leak one.
 */
export const concurrency: WebhookFeature = (value, ports) => {
  const { max, onLimit = 'refuse' } = value as unknown as ConcurrencyRule;
  const { clock, slots, executions } = ports;
  const isOver = createIsOver(ports);

  const limited = () => featureError('CONCURRENCY_LIMITED', { max, retryAfterSeconds: RETRY_AFTER_SECONDS });

  const cancel = async ({ executionId }: Slot): Promise<void> => {
    try {
      await ports.cancelExecution(executionId);
    } catch (error) {
      // It has just ended, is not stored yet, or has a waiting caller: a later request finds which.
      const isLeft = isAppError(error, 'NOT_CANCELLABLE') || isAppError(error, 'EXECUTION_NOT_FOUND');
      throw isLeft ? limited() : error;
    }
  };

  /** The slots that can be given up, once their executions are cancelled. */
  const findRoom = async (held: readonly Slot[]): Promise<readonly Slot[]> => {
    const over = await Promise.all(held.map(isOver));
    const open = held.filter((_, index) => !over[index]);
    const surplus = Math.max(0, open.length - max + 1); // more than one where the limit was lowered
    if (surplus > 0 && onLimit === 'refuse') throw limited();
    const oldest = [...open].sort((a, b) => a.takenAt - b.takenAt).slice(0, surplus);
    for (const slot of oldest) await cancel(slot);
    return [...held.filter((_, index) => over[index]), ...oldest];
  };

  return {
    start: async ({ webhook, executionId }) => {
      const workflowId = webhook.workflow.definition.id;
      const slot = { executionId, takenAt: clock.now() };
      let ended: readonly Slot[] = [];
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const held = await slots.take({ workflowId, slot, max, ended });
        if (held === null || held.some((other) => other.executionId === executionId)) return;
        const isRepeated = (await executions.find(executionId)) !== null;
        if (isRepeated) return;
        ended = await findRoom(held);
      }
      throw limited();
    },
  };
};

/** Whether the execution of a slot has ended, or was never started. */
const createIsOver = ({ clock, executions }: FeaturePorts): ((slot: Slot) => Promise<boolean>) => {
  const lookUp = createCache<boolean>({ ttlMs: KNOWN_MS, maxEntries: MAX_KNOWN, clock });
  return ({ executionId, takenAt }) =>
    lookUp(executionId, async () => {
      const record = await executions.find(executionId);
      if (record !== null && isFinal(record.status)) return true;
      const endsByItself = record === null || record.mode === 'inline';
      return endsByItself && clock.now() - takenAt > GRACE_MS;
    });
};
