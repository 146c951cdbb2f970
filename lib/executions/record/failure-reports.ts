import type { ExecutionEnd, ExecutionIdentity, ExecutionStatus } from './execution-store.ts';

/** The node type of triggers that failures fire. */
export const ERROR_TRIGGER = 'errorTrigger';

/** An execution that ended badly. */
export type FailedExecution = Pick<ExecutionIdentity, 'executionId' | 'workflowId' | 'trigger'> &
  Pick<ExecutionEnd, 'status'>;

/**
 * Reports a recorded failure to the triggers that ask for it. Reported again, it starts nothing more.
 *
 * @throws AppError `DISPATCH_REFUSED`
 */
export type SendReport = () => Promise<void>;

/**
 * Asks whether a trigger asks for a failure.
 *
 * @returns null when none does; never rejects: when it can't be known, the failure is reported, which may start nothing
 */
export type FindReport = (failed: FailedExecution) => Promise<SendReport | null>;

/**
 * Whether the end of an execution may fire triggers: it failed or timed out, and no failure has started it, so that
 * failures make no circle.
 */
export const isReportable = ({
  status,
  trigger,
}: Pick<ExecutionIdentity, 'trigger'> & { readonly status: ExecutionStatus }): boolean =>
  (status === 'failed' || status === 'timedOut') && trigger.type !== ERROR_TRIGGER;
