import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ExecutionMode } from '../record/execution-status.ts';

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
  /** The ids of held executions in the order of their requests, in pages on demand. Some may have left the queue. */
  find(queue: HeldQueue): AsyncIterable<string>;
  /** @returns how many are held, `limit` for any more */
  count(queue: HeldQueue, limit: number): Promise<number>;
  /**
   * Takes an execution out of its queue, on the condition that it is in it and still accepted, so that one of several
   * processes dispatches it. From then on the sweeper dispatches it again if it does not start.
   *
   * @returns false, with nothing changed, when the condition does not hold
   */
  release(executionId: string, release: Release): Promise<boolean>;
  /** Takes a queue out of use, unless an execution was put into it since `unusedSince`, in milliseconds since the epoch. */
  close(queue: HeldQueue, unusedSince: number): Promise<void>;
}
