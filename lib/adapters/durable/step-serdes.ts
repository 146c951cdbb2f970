import type { Serdes } from '@aws/durable-execution-sdk-js';
import type { StepResult } from '../../engine/steps.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { packText, unpackText } from '../../executions/record/pack-value.ts';
import type { PendingIo } from './pending-io.ts';

/** The engine refuses more than 262,144 bytes for the result of one step; the local ones would not all. */
const LIMIT_BYTES = 262_144;

/**
 * Writes the results of steps down as they are when they are small, compressed when they are not, and elsewhere, with
 * a pointer in their place, beyond that. What is written for a step that has to be done again is written over.
 */
export const createStepSerdes = (
  executionId: string,
  blobs: BlobStore,
  busy: PendingIo,
): Serdes<StepResult> => ({
  serialize: async (result, { entityId }) => {
    const key = `executions/${executionId}/steps/${entityId}`;
    return packText(JSON.stringify(result), { limitBytes: LIMIT_BYTES, key, blobs });
  },
  deserialize: async (packed) =>
    packed === undefined ? undefined : JSON.parse(await busy.track(unpackText(packed, blobs))),
});
