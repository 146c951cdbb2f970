import { NOTICE_TRIGGER } from '../../shared/notice-kinds.ts';
import type { ExecutionEnd, ExecutionIdentity, ExecutionStatus } from './execution-store.ts';

/** The type of trigger that failures fire. */
export const ERROR_TRIGGER = 'errorTrigger';

/** An execution that ended badly. */
export type FailedExecution = Pick<ExecutionIdentity, 'executionId' | 'workflowId' | 'trigger'> &
  Pick<ExecutionEnd, 'status'>;

/**
 * Reports a recorded failure to the triggers that ask for it. Reporting it again starts nothing more.
 * @throws AppError `DISPATCH_REFUSED`
 */
export type SendReport = () => Promise<void>;

/**
 * Finds out whether a trigger asks for a failure.
 * @returns null if none does. Never rejects: if it can't be known, the failure is reported, which may start nothing
 */
export type FindReport = (failed: FailedExecution) => Promise<SendReport | null>;

/** The types of triggers that failures fire. */
export const LISTENER_TYPES: readonly string[] = [ERROR_TRIGGER, NOTICE_TRIGGER];

/**
 * Whether the end of an execution may fire triggers: it failed or timed out, and was not itself started by a failure or a
 * notice, so that failures can't go round in circles.
 */
export const isReportable = ({
  status,
  trigger,
}: Pick<ExecutionIdentity, 'trigger'> & { readonly status: ExecutionStatus }): boolean =>
  (status === 'failed' || status === 'timedOut') && !LISTENER_TYPES.includes(trigger.type);
