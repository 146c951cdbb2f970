import type { Serdes } from '@aws/durable-execution-sdk-js';
import type { StepResult } from '../../engine/steps.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { toBlobKey } from '../../executions/record/blob-store.ts';
import { packText, unpackText } from '../../executions/record/pack-value.ts';
import type { PendingIo } from './pending-io.ts';

/** Lambda's limit for the result of one step. */
const LIMIT_BYTES = 262_144;

/**
 * Serialises step results: small ones unchanged, larger ones compressed, and those beyond the limit as a pointer to a
 * blob, which a repeated step overwrites.
 */
export const createStepSerdes = (
  executionId: string,
  blobs: Pick<BlobStore, 'put' | 'get'>,
  pendingIo: PendingIo,
): Serdes<StepResult> => ({
  serialize: async (result, { entityId }) => {
    const key = toBlobKey(executionId, `steps/${entityId}`, false);
    return packText(JSON.stringify(result), { limitBytes: LIMIT_BYTES, key, blobs });
  },
  deserialize: async (packed) =>
    packed === undefined ? undefined : JSON.parse(await pendingIo.track(unpackText(packed, blobs))),
});
