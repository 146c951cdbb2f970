import type { ExecutionResult } from '../engine/result.ts';
import { PROCESS_LOST } from '../executions/lifecycle/finish-execution.ts';
import { type BlobStore, unpackText } from '../executions/record/blob-store.ts';
import { type ExecutionRecord, isFinal } from '../executions/record/execution-store.ts';

/**
 * Reads the result of a finished execution, or the response of one that continues after responding. Null if there is no
 * result yet, the execution was cancelled, its result was not kept, or its process was lost: the first caller may
 * already have received a success response.
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
