import { isPlainObject, type JsonObject, type Logger } from '@hookloom/plugin-kit';
import type { BackgroundMode, WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { ExecutionMode, ExecutionRecord } from './record/execution-store.ts';

/** How long an execution is held at most, in days: a month, and a day more. After that it is never run. Its data is kept that much longer. */
export const MAX_HELD_DAYS = 32;

/** The held executions of one trigger, first come, first served. */
export interface HeldQueue {
  readonly workflowId: string;
  readonly triggerNodeId: string;
}

interface Release {
  /** The version and the mode with which it runs. */
  readonly workflowVersion: number;
  readonly mode: BackgroundMode;
  /** The mode in which the execution was accepted. */
  readonly acceptedMode: ExecutionMode;
  /** Replaces the values of the variables (see `ExecutionData`), since it runs with the version that is live now. */
  readonly variables?: JsonObject | undefined;
  /** When the execution was released, in milliseconds since the epoch. */
  readonly releasedAt: number;
}

/**
 * `ExecutionStore.start` puts a held execution into the queue of its trigger. What is read here may be seconds old. All methods
 * throw AppError `STORE_UNAVAILABLE`.
 */
export interface HeldQueues {
  /** The queues in use; some may be empty. */
  list(): AsyncIterable<HeldQueue>;
  /** The ids of held executions in the order in which they entered, in pages on demand. Some may have left the queue. */
  find(queue: HeldQueue): AsyncIterable<string>;
  /**
   * How many wait, and the last place that was given out. The cost does not depend on how many wait. An execution that
   * left from the middle of the queue, for instance because it was cancelled, or that entered and was not stored,
   * counts until all before it have left too.
   */
  measure(queue: HeldQueue): Promise<{ readonly waiting: number; readonly lastPlace: number }>;
  /**
   * Enters a queue for an execution that is about to be started. Of concurrent calls, no more succeed than there are
   * places.
   * @param options - `now` in milliseconds since the epoch; `maxPlace` is the last place that may be given out
   * @returns its place, to be passed to the start; null, with nothing changed, if there is none
   */
  enter(
    queue: HeldQueue,
    options: { readonly now: number; readonly maxPlace: number },
  ): Promise<number | null>;
  /**
   * Takes an execution out of its queue if it is in it and still accepted, so that only one of several processes
   * dispatches it. From then on the sweeper dispatches it again if it does not start.
   * @returns false, with nothing changed, if it is not
   */
  release(executionId: string, release: Release): Promise<boolean>;
  /**
   * Keeps other processes away from a queue until `until` (milliseconds since the epoch) or `leave`.
   * @returns false, with nothing changed, if another process does so
   */
  attend(queue: HeldQueue, now: number, until: number): Promise<boolean>;
  /** Releases the queue for other processes. */
  leave(queue: HeldQueue): Promise<void>;
  /**
   * Removes a queue from the list of queues in use, unless an execution has entered it since `unusedSince`, in
   * milliseconds since the epoch.
   */
  close(queue: HeldQueue, unusedSince: number): Promise<void>;
}

/**
 * Makes the sweeper release what a queue holds now, instead of on its schedule.
 * @param ended - an execution that has ended: only the one that takes its place is released
 * @throws AppError `DISPATCH_REFUSED`
 */
export type NudgeQueue = (queue: HeldQueue, ended?: string) => Promise<void>;

/**
 * Nudges the queue of a trigger whose execution has ended, if others may be waiting for that. Never rejects: the
 * scheduled sweep finds them too.
 */
export const createNudgeAfterEnd =
  (nudgeQueue: NudgeQueue, logger: Logger) =>
  async (
    { executionId, workflowId, releasedAt, trigger }: ExecutionRecord,
    { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  ): Promise<void> => {
    const rule = nodes.find(({ id }) => id === trigger.nodeId)?.parameters.concurrency;
    // Without `queue`, executions wait for one another only if they were stored during a pause.
    const mayHold = isPlainObject(rule) && (rule.onLimit === 'queue' || releasedAt !== null);
    if (!mayHold) return;
    try {
      await nudgeQueue({ workflowId, triggerNodeId: trigger.nodeId }, executionId);
    } catch (cause) {
      logger.warn('The next held execution starts with a sweep.', { executionId, workflowId, cause });
    }
  };
