import type { JsonObject } from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../../engine/result.ts';
import type { BlobStore } from './blob-store.ts';
import { toBlobKey } from './blob-store.ts';
import type { ExecutionStart } from './execution-store.ts';
import { packText } from './pack-value.ts';
import { redactCredentials } from './redact-credentials.ts';

/** Size of a packed attribute: every write is billed by the size of the whole record. */
export const PACKED_BYTES = 12_000;

/**
 * Packs the input of the trigger.
 *
 * @param isBrief - see `isBriefRun`; true at the end of a run
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packInput = (
  executionId: string,
  input: JsonObject,
  blobs: Pick<BlobStore, 'put'>,
  isBrief: boolean,
): Promise<string> =>
  packText(JSON.stringify(input), {
    limitBytes: PACKED_BYTES,
    key: toBlobKey(executionId, 'input', isBrief),
    blobs,
  });

/** In the place of an input that can't be run: why not. */
export const packRefusal = (reason: string): string => `x${reason}`;

/** @returns why the input can't be run; null for one that can */
export const readRefusal = (input: string): string | null => (input.startsWith('x') ? input.slice(1) : null);

/**
 * Packs the result of an execution, for repeated deliveries, without the credentials of its request. Also that of a run that
 * goes on for longer than it is kept: its delivery is known for no longer than a record is.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packResult = async (
  { executionId, keepsResult }: Pick<ExecutionStart, 'executionId' | 'keepsResult'>,
  { output, response }: Pick<ExecutionResult, 'output' | 'response'>,
  input: JsonObject,
  blobs: Pick<BlobStore, 'put'>,
): Promise<{ readonly result?: string }> => {
  if (!keepsResult) return {};
  const key = toBlobKey(executionId, 'result', true);
  const text = redactCredentials(JSON.stringify({ output, response }), input);
  return { result: await packText(text, { limitBytes: PACKED_BYTES, key, blobs }) };
};
