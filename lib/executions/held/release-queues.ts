import { workThrough } from '../../shared/work-through.ts';
import type { HeldQueue } from './held-queues.ts';
import { type ReleaseParts, releaseHeld } from './release-held.ts';

/** Queues worked on in parallel. */
const CONCURRENCY = 5;

/** For so long, a queue that is closed is not looked at: what opens it has its queue released. */
const CLOSED_MS = 5 * 60_000;

/** When closed queues were found by this process, in milliseconds since the epoch, by workflow and trigger. */
export type ClosedQueues = Map<string, number>;

/**
 * Releases what all queues hold, as far as it may begin. A queue that fails does not stop the others. Never rejects.
 *
 * @param closed - what former calls have found
 * @param hasTime - whether to go on with another execution
 */
export const releaseAllQueues = async (
  parts: ReleaseParts,
  closed: ClosedQueues,
  hasTime: () => boolean,
): Promise<void> => {
  const { queues, logger, clock } = parts;
  for (const [key, foundAt] of closed) if (clock.now() - foundAt >= CLOSED_MS) closed.delete(key);
  try {
    const options = { atOnce: CONCURRENCY, mayGoOn: hasTime };
    const isDone = await workThrough(queues.list(), options, async (queue) => {
      const key = `${queue.workflowId}/${queue.triggerNodeId}`;
      if (closed.has(key)) return;
      if (await releaseQueue(queue, parts, hasTime)) closed.set(key, clock.now());
    });
    if (!isDone) logger.warn('The sweep ran out of time; the next one releases further executions.');
  } catch (cause) {
    logger.error('The queues of held executions could not be read.', { cause });
  }
};

/** Releases what a queue holds. Never rejects: the next sweep goes on. @returns whether it is closed */
export const releaseQueue = async (
  queue: HeldQueue,
  parts: ReleaseParts,
  hasTime: () => boolean,
  ended?: string,
): Promise<boolean> => {
  const { workflowId, triggerNodeId } = queue;
  try {
    const { released: count, isClosed } = await releaseHeld(queue, parts, hasTime, ended);
    if (count > 0) parts.logger.info('Held executions were released.', { workflowId, triggerNodeId, count });
    return isClosed;
  } catch (cause) {
    parts.logger.error('Held executions could not be released.', { workflowId, triggerNodeId, cause });
    return false;
  }
};
