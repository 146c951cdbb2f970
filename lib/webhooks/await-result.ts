import type { Clock } from '../contract/services.ts';
import type { ExecutionResult } from '../engine/result.ts';
import { PROCESS_LOST } from '../executions/lifecycle/find-execution.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import { isFinal } from '../executions/record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../executions/record/execution-store.ts';
import { unpackText } from '../executions/record/pack-value.ts';

const POLL_MS = 250;

/**
 * Reads the result of a finished execution. Null when it is open, was cancelled, its result was not kept, or its process
 * was lost: the first caller may have been answered with a success.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readResult = async (
  record: ExecutionRecord,
  blobs: Pick<BlobStore, 'get'>,
): Promise<ExecutionResult | null> => {
  const { status, result, nodes, failure } = record;
  if (!isFinal(status) || status === 'cancelled') return null;
  if (record.mode === 'inline' && failure?.name === PROCESS_LOST) return null;
  if (result === null && status === 'succeeded') return null;
  const { output, response } =
    result === null ? { output: {}, response: null } : JSON.parse(await unpackText(result, blobs));
  return { status, nodes, output, response, failure };
};

/**
 * Polls an execution until it has finished, for at most `waitMs`.
 *
 * @returns the latest record; null when it is unknown
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const waitUntilFinished = async (
  executionId: string,
  waitMs: number,
  { executions, clock }: { readonly executions: Pick<ExecutionStore, 'find'>; readonly clock: Clock },
): Promise<ExecutionRecord | null> => {
  const endsAt = clock.now() + waitMs;
  for (;;) {
    const record = await executions.find(executionId);
    const leftMs = endsAt - clock.now();
    if (record === null || isFinal(record.status) || leftMs <= 0) return record;
    await clock.sleep(Math.min(POLL_MS, leftMs));
  }
};
