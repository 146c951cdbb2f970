import type { JsonObject, Logger } from '@hookloom/plugin-kit';
import {
  type BlobStore,
  blobKeyOf,
  isBriefRun,
  type LifeDays,
  packText,
  toBlobKey,
  unpackText,
} from '../record/blob-store.ts';
import type { ExecutionData, ExecutionProgress, ExecutionRecord } from '../record/execution-store.ts';
import { PACKED_BYTES, packInput } from '../record/pack-result.ts';
import { findFiles } from './file-id.ts';

/** The part of an execution's data that may name files, as it is stored. */
type Stored = Pick<ExecutionData, 'input' | 'retriedCheckpoints'>;

/** How many requests to S3 run concurrently. */
const AT_ONCE = 10;

const forEachOf = async <Value>(values: readonly Value[], act: (value: Value) => Promise<void>) => {
  for (let at = 0; at < values.length; at += AT_ONCE)
    await Promise.all(values.slice(at, at + AT_ONCE).map(act));
};

/**
 * Keeps the files of other executions that a retry may open; otherwise they would expire with the execution that saved
 * them.
 * @param input - the trigger's input
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const keepRetriedFiles = async (
  { executionId }: Pick<ExecutionRecord, 'executionId'>,
  input: JsonObject,
  { retriedCheckpoints }: Stored,
  blobs: Pick<BlobStore, 'get' | 'keep'>,
): Promise<void> => {
  const checkpoints = retriedCheckpoints === null ? '' : await unpackText(retriedCheckpoints, blobs);
  const files = findFiles(`${JSON.stringify(input)}${checkpoints}`);
  const others = files.filter((file) => file.executionId !== executionId);
  await forEachOf(others, ({ blobKey }) => blobs.keep(blobKey, null));
};

/**
 * Copies the blobs of other executions that a retry's data names to keys of its own, for the same reason.
 * @returns the changes to its data; null if there are none
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const ownRetriedBlobs = async (
  record: Pick<ExecutionRecord, 'executionId' | 'mode' | 'held'>,
  input: JsonObject,
  stored: Stored,
  timeoutMs: number,
  blobs: Pick<BlobStore, 'put' | 'get'>,
): Promise<Pick<ExecutionProgress, 'input' | 'retriedCheckpoints'> | null> => {
  const { executionId } = record;
  const isBrief = isBriefRun(record, timeoutMs);
  const isForeign = (packed: string | null): packed is string => {
    const key = blobKeyOf(packed ?? '');
    return key !== null && !key.startsWith(toBlobKey(executionId, '', isBrief));
  };
  const key = toBlobKey(executionId, 'retried', isBrief);
  const { retriedCheckpoints } = stored;
  const changes = {
    ...(isForeign(stored.input) ? { input: await packInput(executionId, input, blobs, isBrief) } : {}),
    ...(isForeign(retriedCheckpoints)
      ? {
          retriedCheckpoints: await packText(await unpackText(retriedCheckpoints, blobs), {
            limitBytes: PACKED_BYTES,
            key,
            blobs,
          }),
        }
      : {}),
  };
  return Object.keys(changes).length === 0 ? null : changes;
};

interface Ended {
  readonly stored: Stored;
  readonly stepBlobs: ReadonlySet<string>;
  /** JSON texts that name the execution's files. */
  readonly texts: readonly string[];
  /** Whether checkpoints of a wait may be in a blob. */
  readonly hasWaited: boolean;
  /** Whether the end has checkpoints of its own; otherwise those of the last wait are kept. */
  readonly hasCheckpoints: boolean;
  /** How long the execution's files live: see `lifeAtEnd`. */
  readonly life: LifeDays;
}

/**
 * Removes what an ended execution no longer needs: results of steps, and what was stored elsewhere at its end. Its
 * files expire with its record. Never rejects: whatever remains expires a year later.
 */
export const letGo = async (
  executionId: string,
  { stored, stepBlobs, texts, hasWaited, hasCheckpoints, life }: Ended,
  { blobs, logger }: { readonly blobs: Pick<BlobStore, 'keep' | 'remove'>; readonly logger: Logger },
): Promise<void> => {
  const known = Object.values(stored).flatMap((packed) => blobKeyOf(packed ?? '') ?? []);
  const ofWait = hasWaited ? [toBlobKey(executionId, 'checkpoints', false)] : [];
  const unneeded = [
    ...known.filter((key) => key.startsWith(toBlobKey(executionId, '', false))),
    ...(hasCheckpoints ? ofWait : []),
    ...stepBlobs,
  ];
  const files = texts.flatMap(findFiles).filter((file) => file.executionId === executionId);
  const kept = [...new Set(files.map(({ blobKey }) => blobKey)), ...(hasCheckpoints ? [] : ofWait)];
  try {
    await forEachOf(unneeded, (key) => blobs.remove(key));
    if (life !== null) await forEachOf(kept, (key) => blobs.keep(key, life));
  } catch (cause) {
    logger.warn('Objects of the execution are kept longer than its record.', { executionId, cause });
  }
};
