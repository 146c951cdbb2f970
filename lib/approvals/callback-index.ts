import type {
  AnsweredCallback,
  CallbackSubject,
  ListPosition,
  PendingCallback,
} from '../executions/record/execution-store.ts';

export interface ListedCallback extends PendingCallback {
  readonly subject: CallbackSubject;
}

interface CallbackPage {
  /** The callbacks of this page, ordered by expiry, earliest first. */
  readonly callbacks: readonly ListedCallback[];
  /** Position at which the next page starts; null at the end of the list. */
  readonly next: ListPosition | null;
}

/** Pending callbacks by workflow. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface CallbackIndex {
  /**
   * Lists pending callbacks: not answered, not expired, and of executions that have not ended. A page may have fewer
   * than requested although more follow.
   *
   * @param workflowId - null for all workflows
   * @param limit - at most this many; 1 to 100
   * @param after - the `next` of the previous page; absent for the first page
   */
  list(workflowId: string | null, limit: number, after?: ListPosition): Promise<CallbackPage>;
  /** Stores the accepted answer and removes the callback from the lists. */
  close(executionId: string, name: string, answered: AnsweredCallback): Promise<void>;
}
