import type { JsonObject, Logger } from '@hookloom/plugin-kit';
import type { BlobStore } from './blob-store.ts';
import type { ExecutionRecord, ExecutionStore } from './execution-store.ts';
import { packResult } from './pack-result.ts';

interface SaveParts {
  readonly executions: Pick<ExecutionStore, 'saveProgress'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  /** Milliseconds since the epoch. */
  readonly leaseExpiresAt: number;
  readonly logger: Logger;
}

/**
 * Stores the response of a run that goes on after it, for the caller that waits. Never rejects: the end of the run stores
 * it again. A replay emits the same response, and a caller has it already: then nothing is written.
 *
 * @param input - of the trigger
 */
export const saveResponse = async (
  { executionId, result }: Pick<ExecutionRecord, 'executionId' | 'result'>,
  response: JsonObject,
  input: JsonObject,
  { executions, blobs, leaseExpiresAt, logger }: SaveParts,
): Promise<void> => {
  if (result !== null) return;
  try {
    const packed = await packResult(
      { executionId, keepsResult: true },
      { output: {}, response },
      input,
      blobs,
    );
    await executions.saveProgress(executionId, { status: 'running', leaseExpiresAt, ...packed });
  } catch (cause) {
    logger.warn('The response is not stored before the end of the run.', { executionId, cause });
  }
};
