import { workThrough } from '../../shared/work-through.ts';
import type { HeldQueue } from './held-queues.ts';
import { type ReleaseParts, releaseHeld } from './release-held.ts';

/** Queues worked on in parallel. */
const CONCURRENCY = 5;

/**
 * Releases what all queues hold, as far as it may begin. A queue that fails does not stop the others. Never rejects.
 *
 * @param hasTime - whether to go on with another execution
 */
export const releaseAllQueues = async (parts: ReleaseParts, hasTime: () => boolean): Promise<void> => {
  const { queues, logger } = parts;
  try {
    const options = { atOnce: CONCURRENCY, mayGoOn: hasTime };
    const isDone = await workThrough(queues.list(), options, (queue) => releaseQueue(queue, parts, hasTime));
    if (!isDone) logger.warn('The sweep ran out of time; the next one releases further executions.');
  } catch (cause) {
    logger.error('The queues of held executions could not be read.', { cause });
  }
};

/** Releases what a queue holds. Never rejects: the next sweep goes on. */
export const releaseQueue = async (
  queue: HeldQueue,
  parts: ReleaseParts,
  hasTime: () => boolean,
): Promise<void> => {
  const { workflowId, triggerNodeId } = queue;
  try {
    const count = await releaseHeld(queue, parts, hasTime);
    if (count > 0) parts.logger.info('Held executions were released.', { workflowId, triggerNodeId, count });
  } catch (cause) {
    parts.logger.error('Held executions could not be released.', { workflowId, triggerNodeId, cause });
  }
};
