import type { Clock } from '../contract/services.ts';
import type { ExecutionResult } from '../engine/result.ts';
import { PROCESS_LOST } from '../executions/lifecycle/find-execution.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import { type ExecutionStatus, isFinal } from '../executions/record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../executions/record/execution-store.ts';
import { unpackText } from '../executions/record/pack-value.ts';

const POLL_MS = 250;

interface WaitParts {
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly clock: Clock;
}

/**
 * Reads the result of an execution: of one that has finished, or the response of one that goes on after it. Null when there
 * is none yet, it was cancelled, its result was not kept, or its process was lost: the first caller may have been answered
 * with a success.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readResult = async (
  record: ExecutionRecord,
  blobs: Pick<BlobStore, 'get'>,
): Promise<ExecutionResult | null> => {
  const { status, result, nodes, failure } = record;
  if (status === 'cancelled') return null;
  if (record.mode === 'inline' && failure?.name === PROCESS_LOST) return null;
  if (result === null && status !== 'failed' && status !== 'timedOut') return null;
  const { output, response } =
    result === null ? { output: {}, response: null } : JSON.parse(await unpackText(result, blobs));
  return { status: isFinal(status) ? status : 'succeeded', nodes, output, response, failure };
};

/**
 * Polls an execution for at most `waitMs`, until it has finished or has stored a response.
 *
 * @returns its status then, and its result, see {@link readResult}; null when it is unknown
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const waitForResult = async (
  executionId: string,
  waitMs: number,
  { executions, blobs, clock }: WaitParts,
): Promise<{ readonly status: ExecutionStatus; readonly result: ExecutionResult | null } | null> => {
  const endsAt = clock.now() + waitMs;
  for (;;) {
    const record = await executions.find(executionId);
    if (record === null) return null;
    const { status, result } = record;
    const leftMs = endsAt - clock.now();
    if (isFinal(status) || result !== null || leftMs <= 0)
      return { status, result: await readResult(record, blobs) };
    await clock.sleep(Math.min(POLL_MS, leftMs));
  }
};
