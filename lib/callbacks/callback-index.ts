import type {
  AnsweredCallback,
  CallbackSubject,
  PendingCallback,
} from '../executions/record/execution-store.ts';

/** A callback that a list shows. */
export interface ListedCallback extends PendingCallback {
  readonly subject: CallbackSubject;
}

interface CallbackPage {
  /** The latest first. */
  readonly callbacks: readonly ListedCallback[];
  readonly hasMore: boolean;
}

/** Pending callbacks by their workflow. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface CallbackIndex {
  /**
   * Lists the callbacks of a workflow that are pending: not answered, not expired, of executions that have not ended.
   *
   * @param limit - at most this many; 1 to 100
   */
  list(workflowId: string, limit: number): Promise<CallbackPage>;
  /** Keeps which answer was taken, and takes the callback out of the lists. */
  close(executionId: string, name: string, answered: AnsweredCallback): Promise<void>;
}
