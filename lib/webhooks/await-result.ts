import type { Clock } from '../contract/services.ts';
import type { ExecutionResult } from '../engine/result.ts';
import { PROCESS_LOST } from '../executions/lifecycle/find-execution.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import { isFinal } from '../executions/record/execution-status.ts';
import type { ExecutionRecord, ExecutionStore } from '../executions/record/execution-store.ts';
import { unpackText } from '../executions/record/pack-value.ts';

const POLL_MS = 250;

/**
 * The result of an execution that has ended. Null when it is open, was cancelled, its result was not kept, or nothing
 * is known of it since its process was lost: its first caller may have had a success.
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

/** Waits for an execution to end, but not longer than `waitMs`: its record, as it is then. */
export const awaitEnd = async (
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
