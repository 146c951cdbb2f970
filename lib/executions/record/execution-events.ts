import type { ExecutionEnd, ExecutionIdentity } from './execution-store.ts';

/** An execution that has ended, as its completion event describes it. */
export type EndedExecution = ExecutionIdentity & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure'>;

/** Publishes completion events. */
export interface ExecutionEvents {
  /**
   * Publishes one CloudEvent. Published again, an event has the same `source` and `id`: receivers drop the second.
   *
   * @throws AppError `EVENT_NOT_PUBLISHED`
   */
  publish(ended: EndedExecution): Promise<void>;
}
