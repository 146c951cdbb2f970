import type { Clock, JsonObject, Logger } from '@hookloom/plugin-kit';
import type { NodeRecord } from '../../engine/result.ts';
import type { BlobStore } from './blob-store.ts';
import type { ExecutionProgress, ExecutionRecord, ExecutionStore } from './execution-store.ts';
import { packResult } from './pack-result.ts';

/** Delay before progress is written, in milliseconds: quick runs write none. */
const INTERVAL_MS = 1_000;

export interface Recorder {
  /** Writes the progress in the background, after the delay. */
  update(snapshot: () => readonly NodeRecord[]): void;
  /** Writes the progress, and that the run waits. */
  suspend(): Promise<void>;
  /** @returns null before the first update */
  latest(): readonly NodeRecord[] | null;
  /** Ends all writes, after the one in progress. */
  close(): Promise<void>;
}

interface RecorderOptions {
  readonly executionId: string;
  readonly executions: Pick<ExecutionStore, 'saveProgress'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly toProgress: (
    nodes: readonly NodeRecord[],
    status: ExecutionProgress['status'],
  ) => Promise<ExecutionProgress>;
  /** Called when the execution was ended from outside: it was cancelled or timed out. */
  readonly onEnded: () => void;
}

/** Keeps the record of a long run up to date while it runs. */
export const createRecorder = (options: RecorderOptions): Recorder => {
  const { executionId, executions, clock, logger, toProgress, onEnded } = options;
  const closed = new AbortController();
  let latest: (() => readonly NodeRecord[]) | null = null;
  let isNew = false;
  let writing: Promise<void> | null = null;

  const write = async (status: ExecutionProgress['status']): Promise<void> => {
    if (latest === null) return;
    try {
      const progress = await toProgress(latest(), status);
      if (!(await executions.saveProgress(executionId, progress))) onEnded();
    } catch (cause) {
      // The next write supersedes this one.
      logger.warn('The progress of the execution could not be recorded.', { executionId, cause });
    }
  };

  const writeUpdates = async (): Promise<void> => {
    while (isNew) {
      try {
        await clock.sleep(INTERVAL_MS, closed.signal);
      } catch {
        return; // the run ended before
      }
      isNew = false;
      await write('running');
    }
  };

  const close = async (): Promise<void> => {
    closed.abort('the run has ended'); // an explicit reason: the default one costs a stack trace
    await writing;
  };

  return {
    update: (snapshot) => {
      latest = snapshot;
      isNew = true;
      if (closed.signal.aborted) return;
      writing ??= writeUpdates().finally(() => {
        writing = null;
      });
    },
    suspend: async () => {
      await close();
      await write('waiting');
    },
    latest: () => latest?.() ?? null,
    close,
  };
};

/**
 * Stores the response of a run that continues afterwards, for the waiting caller. Never rejects: the end of the
 * run stores it again. A replay emits the same response, which the caller already has, so nothing is written.
 * @param input - of the trigger
 */
export const saveResponse = async (
  { executionId, result }: Pick<ExecutionRecord, 'executionId' | 'result'>,
  response: JsonObject,
  input: JsonObject,
  {
    executions,
    blobs,
    leaseExpiresAt,
    logger,
  }: Pick<RecorderOptions, 'executions' | 'logger'> &
    Pick<ExecutionProgress, 'leaseExpiresAt'> & { readonly blobs: Pick<BlobStore, 'put'> },
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
    logger.warn('The response could not be stored before the end of the run.', { executionId, cause });
  }
};
