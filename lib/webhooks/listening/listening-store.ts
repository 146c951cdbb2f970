import type { Listening } from '../../workflows/definition/workflow-store.ts';
import type { RequestRecord } from '../requests/request-record.ts';

/** How a listening ended: with the request that was caught, or without one. */
interface ListeningEnd {
  readonly request: RequestRecord | null;
}

/** All methods throw AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface ListeningStore {
  /**
   * Lets a trigger of the workflow listen, in place of what listened before.
   * @returns false if there is no such workflow
   */
  begin(workflowId: string, listening: Listening): Promise<boolean>;
  /** The latest listening of a workflow, which may have ended; null if there is none. */
  findLatest(workflowId: string): Promise<Listening | null>;
  /** Removes the listening from its workflow, unless another has begun. */
  forget(workflowId: string, listening: Listening): Promise<void>;
  /**
   * Ends a listening, once: of concurrent calls, one wins.
   *
   * @param expiresAt - when the end may be forgotten, in milliseconds since the epoch
   * @returns false if it has ended before
   */
  end(workflowId: string, id: string, end: ListeningEnd, expiresAt: number): Promise<boolean>;
  /** @returns null if it has not ended, or the end was forgotten */
  findEnd(workflowId: string, id: string): Promise<ListeningEnd | null>;
}

/** How long a listening lasts. */
export const LISTENING_MS = 10 * 60_000;

/** How long its end is kept, from when it would have ended by itself. */
export const END_KEPT_MS = 86_400_000;
