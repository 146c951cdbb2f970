import type {
  AnsweredCallback,
  CallbackSubject,
  ListPosition,
  PendingCallback,
} from '../executions/record/execution-store.ts';

export interface ListedCallback extends PendingCallback {
  readonly subject: CallbackSubject;
}

/** Pending callbacks by workflow. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface CallbackIndex {
  /**
   * Lists pending callbacks, ordered by expiry, earliest first: not answered, not expired, and of executions that have
   * not ended. A page may have fewer than requested although more follow: `next` is null at the end of the list.
   *
   * @param workflowId - null for all workflows
   * @param limit - at most this many; 1 to 100
   * @param after - the `next` of the previous page; absent for the first page
   */
  list(
    workflowId: string | null,
    limit: number,
    after?: ListPosition,
  ): Promise<{ readonly callbacks: readonly ListedCallback[]; readonly next: ListPosition | null }>;
  /** Stores the accepted answer and removes the callback from the lists. */
  close(executionId: string, name: string, answered: AnsweredCallback): Promise<void>;
}
