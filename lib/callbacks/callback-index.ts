import type {
  AnsweredCallback,
  CallbackSubject,
  ListPosition,
  PendingCallback,
} from '../executions/record/execution-store.ts';

/** A callback that a list shows. */
export interface ListedCallback extends PendingCallback {
  readonly subject: CallbackSubject;
}

interface CallbackPage {
  /** Those whose time ends first come first. */
  readonly callbacks: readonly ListedCallback[];
  /** How far the index has read, where it may find more; null at the end. */
  readonly next: ListPosition | null;
}

/** Pending callbacks by their workflow. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface CallbackIndex {
  /**
   * Lists the callbacks that are pending: not answered, not expired, of executions that have not ended. A page may have
   * fewer than asked for, although more follow.
   *
   * @param workflowId - null for all workflows
   * @param limit - at most this many; 1 to 100
   * @param after - the `next` of the page before; absent for the first page
   */
  list(workflowId: string | null, limit: number, after?: ListPosition): Promise<CallbackPage>;
  /** Keeps which answer was taken, and takes the callback out of the lists. */
  close(executionId: string, name: string, answered: AnsweredCallback): Promise<void>;
}
