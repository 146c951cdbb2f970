import { isPlainObject } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { BULK_RETRY_ID } from '../executions/bulk/bulk-retry.ts';
import { type RunBulkPorts, runBulkRetry } from '../executions/bulk/run-bulk-retry.ts';
import { remainingMs } from './calls.ts';

interface RunnerParts extends RunBulkPorts {
  readonly invokeRunner: (bulkRetryId: string) => Promise<void>;
}

/** Lambda ends the process after its timeout; the next one continues at once. */
const HANDOVER_MS = 30_000;

/**
 * Runs bulk retries: the one of the event, or on the schedule those that wait, or whose process has crashed. Shortly
 * before its time is up, it invokes itself to continue.
 */
export const createRetryExecutions =
  (parts: RunnerParts) =>
  async (event: unknown, context: Partial<Context> = {}): Promise<void> => {
    const { bulkRetryId } = isPlainObject(event) ? event : {};
    const known = typeof bulkRetryId === 'string' && BULK_RETRY_ID.test(bulkRetryId) ? [bulkRetryId] : null;
    const owner = context.awsRequestId ?? parts.ids.next();
    const failures: unknown[] = [];
    for (const id of known ?? (await parts.bulkRetries.findActive())) {
      const mayGoOn = () => remainingMs(context) > HANDOVER_MS;
      try {
        const goesOn = await runBulkRetry(id, { owner, mayGoOn }, parts);
        if (goesOn) await parts.invokeRunner(id);
      } catch (cause) {
        failures.push(cause);
        parts.logger.error('A bulk retry could not continue.', { bulkRetryId: id, cause });
      }
    }
    // Lambda invokes it again, and the alarm on its errors begins.
    if (failures.length > 0) throw failures[0];
  };
