import { isPlainObject, type Logger } from '@hookloom/plugin-kit';
import type { BackgroundMode, WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { ExecutionMode, ExecutionRecord } from '../record/execution-store.ts';

/** How long an execution is held at most, in days: then it is not run any more. Its data is kept for as much longer. */
export const MAX_HELD_DAYS = 30;

/** The executions of one trigger that are held, first come, first served. */
export interface HeldQueue {
  readonly workflowId: string;
  readonly triggerNodeId: string;
}

interface Release {
  /** The version and the mode with which it runs. */
  readonly workflowVersion: number;
  readonly mode: BackgroundMode;
  /** The mode that it was accepted with. */
  readonly acceptedMode: ExecutionMode;
  /** Milliseconds since the epoch. */
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
   * How many wait, and the last place that was given out. It costs the same however many wait. One that has left the queue from
   * within, cancelled for instance, or that was entered and then not stored, counts until those before it have left, too.
   */
  measure(queue: HeldQueue): Promise<{ readonly waiting: number; readonly lastPlace: number }>;
  /**
   * Enters a queue, for an execution that is about to be started. Of concurrent calls, no more succeed than there are places.
   *
   * @param options - `now` in milliseconds since the epoch; `maxPlace` is the last place that may be given out
   * @returns its place, for the start; null when there is none, with nothing changed
   */
  enter(
    queue: HeldQueue,
    options: { readonly now: number; readonly maxPlace: number },
  ): Promise<number | null>;
  /**
   * Takes an execution out of its queue, on the condition that it is in it and still accepted, so that one of several
   * processes dispatches it. From then on the sweeper dispatches it again if it does not start.
   *
   * @returns false, with nothing changed, when the condition does not hold
   */
  release(executionId: string, release: Release): Promise<boolean>;
  /**
   * Keeps other processes from a queue until then, or until `leave`; milliseconds since the epoch.
   *
   * @returns false, with nothing changed, when another one has done so
   */
  attend(queue: HeldQueue, now: number, until: number): Promise<boolean>;
  /** Lets others attend to it. */
  leave(queue: HeldQueue): Promise<void>;
  /** Takes a queue out of use, unless an execution was put into it since `unusedSince`, in milliseconds since the epoch. */
  close(queue: HeldQueue, unusedSince: number): Promise<void>;
}

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
