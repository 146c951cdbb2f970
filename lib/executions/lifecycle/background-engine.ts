import type { CheckpointJournal } from '../../engine/checkpoint-journal.ts';
import type { CallbackUrls } from '../../engine/session.ts';
import type { Steps } from '../../engine/steps.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';

/** The checkpoint journal of an execution as it was when this process began. */
export interface JournalReader {
  count(): Promise<number>;
  /** @throws AppError `STORE_UNAVAILABLE` */
  read(): Promise<CheckpointJournal>;
}

/** The engine that one process of a background run has behind it. */
export interface BackgroundEngine {
  readonly mode: BackgroundMode;
  /** From when on its time is counted, milliseconds since the epoch; from the start of the execution when absent. */
  readonly since?: number;
  /** See {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly steps: Steps;
  /** Null where no checkpoint outlives the process. */
  readonly journal: JournalReader | null;
  /** Null where a run can't wait for an answer. */
  readonly openCallbackUrls: ((record: ExecutionRecord) => CallbackUrls) | null;
  /** Tracks I/O outside of steps, which the engine can't see: it suspends a run without. */
  track<Value>(work: Promise<Value>): Promise<Value>;
}

/** One process's part of a background run: from its begin or a resumption to its end or a suspension. */
export interface BackgroundInvocation {
  /**
   * Runs on from where the execution is. Resolves when it has ended, now or before; never when the engine suspends it.
   * All that it needs is loaded before the lease is acquired: an execution for which that fails has done nothing yet.
   *
   * @throws AppError `STORE_UNAVAILABLE`, and other infrastructure errors: Lambda is to try again
   */
  run(executionId: string, engine: BackgroundEngine): Promise<void>;
  /** The engine has suspended it: whatever resolves from now on, it does nothing more in this process. */
  halt(): void;
  /** Records the progress of a suspended run. Never rejects. */
  suspend(): Promise<void>;
  /** Keeps an invocation that fails for an infrastructure error from counting as a crash. Never rejects. */
  excuse(): Promise<void>;
  /** Records that the engine has failed it, for a reason of its own. */
  fail(failure: { readonly name: string; readonly message: string }): Promise<void>;
  /** Ends all that goes on: no timer and no write after this. */
  close(): Promise<void>;
}
