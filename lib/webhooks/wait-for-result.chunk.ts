import type { Clock } from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import type { Ports } from '../executions/ports.ts';
import { type ExecutionStatus, isFinal } from '../executions/record/execution-store.ts';
import { isInfrastructureError } from '../shared/errors.ts';
import { readResult } from './read-result.ts';

const POLL_MS = 250;

/**
 * Polls an execution until it has finished or stored a response, for at most `waitMs`.
 *
 * @returns its status and its result, see {@link readResult}; null if it is unknown or the store fails: the execution
 *   continues regardless
 */
export const waitForResult = async (
  executionId: string,
  waitMs: number,
  { executions, blobs, clock }: Pick<Ports, 'executions' | 'blobs'> & { readonly clock: Clock },
): Promise<{ readonly status: ExecutionStatus; readonly result: ExecutionResult | null } | null> => {
  const endsAt = clock.now() + waitMs;
  try {
    for (;;) {
      const record = await executions.find(executionId);
      if (record === null) return null;
      const { status, result } = record;
      const leftMs = endsAt - clock.now();
      if (isFinal(status) || result !== null || leftMs <= 0)
        return { status, result: await readResult(record, blobs) };
      await clock.sleep(Math.min(POLL_MS, leftMs));
    }
  } catch (error) {
    if (isInfrastructureError(error)) return null;
    throw error;
  }
};
