import type { ExecutionRecord } from '../record/execution-store.ts';

/** An execution that has ended, as events tell of it. */
export type EndedExecution = Pick<
  ExecutionRecord,
  | 'executionId'
  | 'workflowId'
  | 'workflowVersion'
  | 'trigger'
  | 'mode'
  | 'startedAt'
  | 'failure'
  | 'retryOf'
  | 'traceparent'
> & {
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'timedOut';
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
};

/** Tells the outside of the end of executions. */
export interface ExecutionEvents {
  /**
   * Publishes one CloudEvent. Publishing again gives an event of the same `source` and `id`, so that receivers can
   * tell. Rejects with AppError `EVENT_NOT_PUBLISHED`.
   */
  publish(ended: EndedExecution): Promise<void>;
}
