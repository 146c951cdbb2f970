import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import { describeExecution } from '../../executions/record/describe-execution.ts';
import type { ExecutionRecord, ExecutionStore } from '../../executions/record/execution-store.ts';
import { ERROR_TRIGGER, isReportable } from '../../executions/record/failure-reports.ts';
import { PROBE_PREFIX } from '../../health/ping.ts';
import { findListeners } from '../../registrations/find-listeners.ts';
import type { RegistrationStore, StoredRegistration } from '../../registrations/registration-store.ts';

interface FailureParts {
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly registrations: Pick<RegistrationStore, 'listOfType'>;
  /** Starts a trigger, once per failure. */
  readonly start: (event: JsonObject, listener: StoredRegistration) => Promise<unknown>;
}

/** The id of the failed execution that an event reports; null for any other event. */
export const readFailedId = ({ hookloom }: JsonObject): string | null => {
  const { failed } = isPlainObject(hookloom) ? hookloom : {};
  return isId(failed) ? failed : null;
};

/**
 * Starts every error trigger that listens for the failure of an execution. One that can't be started does not stop the
 * others. The doctor's probes start nothing. The record determines what failed: a forged report, or one of an execution
 * that no longer exists, starts nothing.
 *
 * @throws AggregateError when one can't be started, so that Lambda retries the report; triggers already started are not
 *   started again
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const startByFailure = async (
  executionId: string,
  { executions, registrations, start }: FailureParts,
): Promise<void> => {
  const record = await executions.find(executionId);
  if (record === null || !isReportable(record) || record.workflowId.startsWith(PROBE_PREFIX)) return;
  const event = toFailureEvent(record);
  const listeners = findListeners(await registrations.listOfType(ERROR_TRIGGER), record.workflowId);
  const errors: unknown[] = [];
  for (const listener of listeners) {
    try {
      await start(event, listener);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} error triggers did not start`);
};

/**
 * The event that error triggers receive for an execution that failed or timed out. It is built only from the record, so
 * that it is always the same, and contains no data of the nodes.
 *
 * @param record - the record of an execution that has ended
 */
const toFailureEvent = (record: ExecutionRecord): JsonObject => {
  const { executionId, workflowId, workflowVersion, mode, status, ...rest } = describeExecution(record);
  const { trigger, startedAt, endedAt, durationMs, retryOf, failure } = rest;
  return {
    failed: {
      ...{ executionId, workflowId, workflowVersion, mode, status, trigger },
      ...{ startedAt, endedAt, durationMs, retryOf, failure },
      show: {
        command: `npm run -s cli -- execution show ${executionId}`,
        path: `/api/admin/executions/${executionId}`,
      },
    },
  };
};
