import type { Clock, Logger } from '../../contract/services.ts';
import type { NodeRecord } from '../../engine/result.ts';
import type { ExecutionProgress, ExecutionStore } from '../record/execution-store.ts';

/** Progress is written no more often than this: who watches sees it within a second, and quick runs write none. */
const INTERVAL_MS = 1_000;

export interface Recorder {
  /** Something began or ended. Written in the background, when it is time. */
  note(snapshot: () => readonly NodeRecord[]): void;
  /** Writes how things stand now, and that the run waits. */
  suspend(): Promise<void>;
  /** The latest account; null before the first. */
  latest(): readonly NodeRecord[] | null;
  /** Waits for what is being written; nothing is written any more. */
  close(): Promise<void>;
}

interface RecorderParts {
  readonly executionId: string;
  readonly executions: Pick<ExecutionStore, 'saveProgress'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes what is written of what the engine says. */
  readonly toProgress: (
    nodes: readonly NodeRecord[],
    status: ExecutionProgress['status'],
  ) => Promise<ExecutionProgress>;
  /** Called when the record says that the execution has ended: somebody has cancelled it. */
  readonly onEnded: () => void;
}

/** Keeps the record of a run that takes long up to date, without keeping the run waiting. */
export const createRecorder = (parts: RecorderParts): Recorder => {
  const { executionId, executions, clock, logger, toProgress, onEnded } = parts;
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
      // The next one, or the end, will tell the same and more.
      logger.warn('The progress of the execution is not recorded.', { executionId, cause });
    }
  };

  const writeWhileThereIsNews = async (): Promise<void> => {
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
    closed.abort('the run is over'); // a reason of our own: the default one costs a stack trace
    await writing;
  };

  return {
    note: (snapshot) => {
      latest = snapshot;
      isNew = true;
      if (closed.signal.aborted) return;
      writing ??= writeWhileThereIsNews().finally(() => {
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
