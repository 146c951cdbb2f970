import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import { describeExecution } from '../../executions/record/describe-execution.ts';
import type { ExecutionRecord } from '../../executions/record/execution-store.ts';
import { ERROR_TRIGGER, isReportable } from '../../executions/record/failure-reports.ts';
import { PROBE_PREFIX } from '../../health/ping.ts';
import { findListeners } from '../../triggers/registrations/find-listeners.ts';
import type {
  RegistrationStore,
  StoredRegistration,
} from '../../triggers/registrations/registration-store.ts';
import { type FailedDataParts, readFailedData } from './failed-run-data.ts';
import type { Notify, StartListener } from './notify.ts';

export interface FailureTrace {
  /** The `traceparent` of what an execution causes; absent without tracing. */
  readonly traceAfter?:
    | ((failed: Pick<ExecutionRecord, 'executionId' | 'traceparent'>) => Promise<string>)
    | undefined;
}

interface FailureParts extends FailedDataParts, FailureTrace {
  readonly registrations: Pick<RegistrationStore, 'listOfType'>;
  /** Starts a trigger, once per failure. */
  readonly start: StartListener;
  /** Sends the failure to receivers of notices, if there is any. */
  readonly notify: (act: (notify: Notify) => Promise<void>) => Promise<void>;
}

/** The id of the failed execution that an event reports; null for any other event. */
export const readFailedId = ({ hookloom }: JsonObject): string | null => {
  const { failed } = isPlainObject(hookloom) ? hookloom : {};
  return isId(failed) ? failed : null;
};

/**
 * Starts every error trigger that listens for the failure of an execution, and sends the failure to receivers of notices.
 * One that can't be started does not stop the others. The doctor's probes start nothing. The record determines what failed: a forged report, or one of an execution
 * that no longer exists, starts nothing.
 *
 * @throws AggregateError when one can't be started, so that Lambda retries the report; triggers already started are not
 *   started again
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const startByFailure = async (executionId: string, parts: FailureParts): Promise<void> => {
  const { executions, registrations, start, notify, traceAfter } = parts;
  const record = await executions.find(executionId);
  if (record === null || !isReportable(record) || record.workflowId.startsWith(PROBE_PREFIX)) return;
  const listeners = findListeners(await registrations.listOfType(ERROR_TRIGGER), record.workflowId);
  const data = listeners.some(wantsData) ? await readFailedData(record, parts) : null;
  const traceparent = listeners.length === 0 ? undefined : await traceAfter?.(record);
  const errors: unknown[] = [];
  for (const listener of listeners) {
    try {
      await start(toFailureEvent(record, wantsData(listener) ? data : null), listener, traceparent);
    } catch (error) {
      errors.push(error);
    }
  }
  await notify(({ raiseFailure }) => raiseFailure(record));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} error triggers did not start`);
};

const wantsData = ({ parameters }: StoredRegistration): boolean => parameters.withData !== false;

/**
 * The event that error triggers receive for an execution that failed or timed out. It is built only from what is stored
 * of the execution, so that it is always the same.
 *
 * @param record - the record of an execution that has ended
 */
const toFailureEvent = (record: ExecutionRecord, data: JsonObject | null): JsonObject => {
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
      data,
    },
  };
};
