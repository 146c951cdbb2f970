import type { Logger } from '../../contract/services.ts';
import type { ExecutionStatus } from './execution-status.ts';
import type { ExecutionEnd, ExecutionIdentity } from './execution-store.ts';

/** The node type of triggers that failures fire. */
export const ERROR_TRIGGER = 'errorTrigger';

/** Hands executions that ended badly over to the triggers that failures fire. */
export interface FailureReports {
  /**
   * Whether a trigger asks for the failures of a workflow.
   *
   * @throws AppError `STORE_UNAVAILABLE`
   */
  areWanted(workflowId: string): Promise<boolean>;
  /**
   * Reports a recorded failure. Reported again, it starts nothing more.
   *
   * @throws AppError `DISPATCH_REFUSED`
   */
  send(executionId: string): Promise<void>;
}

/** An execution that has ended, as far as it matters for a report. */
type Reportable = Pick<ExecutionIdentity, 'executionId' | 'workflowId' | 'trigger'> &
  Pick<ExecutionEnd, 'status'>;

/**
 * Whether the end of an execution may fire triggers: it failed or timed out, and no failure has started it, so that
 * failures make no circle.
 */
export const isReportable = ({
  status,
  trigger,
}: Pick<ExecutionIdentity, 'trigger'> & { readonly status: ExecutionStatus }): boolean =>
  (status === 'failed' || status === 'timedOut') && trigger.type !== ERROR_TRIGGER;

/** Whether an end is to be reported. Never rejects: when it can't be known, it is, and the report starts nothing. */
export const needsReport = async (
  execution: Reportable,
  failures: FailureReports | undefined,
  logger: Pick<Logger, 'warn'>,
): Promise<boolean> => {
  if (failures === undefined || !isReportable(execution)) return false;
  const { executionId, workflowId } = execution;
  try {
    return await failures.areWanted(workflowId);
  } catch (cause) {
    logger.warn('Whether a trigger asks for the failure is not known.', { executionId, workflowId, cause });
    return true;
  }
};
