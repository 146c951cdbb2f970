import type { CheckpointJournal } from '../../engine/checkpoint-journal.ts';
import type { CallbackUrls } from '../../engine/session.ts';
import type { Steps } from '../../engine/steps.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/** Reads the checkpoint journal of an execution as it was at the start of this invocation. */
export interface JournalReader {
  count(): Promise<number>;
  /** @throws AppError `STORE_UNAVAILABLE` */
  read(): Promise<CheckpointJournal>;
}

/** What the callback URLs of an execution are made from. */
export interface CallbackSigner {
  readonly executionId: string;
  readonly workflowId: string;
  readonly callbackKey: string | null;
}

/** The durable or express engine, as one invocation of a background run sees it. */
export interface BackgroundEngine {
  readonly mode: BackgroundMode;
  /** Start of the timeout, milliseconds since the epoch; the start of the execution when absent. */
  readonly since?: number;
  /** See {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly steps: Steps;
  /** Null where no checkpoint outlives the process. */
  readonly journal: JournalReader | null;
  /** Keys of blobs with results of steps that this process has seen: needed until the end of the run. */
  readonly stepBlobs?: ReadonlySet<string>;
  /** Null where a run can't wait for an answer. */
  readonly openCallbackUrls: ((signer: CallbackSigner) => CallbackUrls) | null;
  /** Tracks I/O outside of steps, which the engine can't see: it suspends a run without. */
  track<Value>(work: Promise<Value>): Promise<Value>;
}

/** One invocation of a background run: from its start or a resumption to its end or a suspension. */
export interface BackgroundInvocation {
  /**
   * Starts or resumes the execution. Resolves when it has ended, now or before; never when the engine suspends it. All
   * data is loaded before the lease is acquired, so that nothing has run when loading fails.
   *
   * @throws AppError `STORE_UNAVAILABLE` and other infrastructure errors, which Lambda retries
   */
  run(executionId: string, engine: BackgroundEngine): Promise<void>;
  /** Stops the run in this process, after the engine has suspended it. */
  halt(): void;
  /** Records the progress of a suspended run. Never rejects. */
  suspend(): Promise<void>;
  /** Keeps an infrastructure error of this invocation from counting as a crash. Never rejects. */
  uncountCrash(): Promise<void>;
  /** Finishes the execution after its engine has failed it. */
  fail(failure: { readonly name: string; readonly message: string }): Promise<void>;
  /** Ends all timers and writes. */
  close(): Promise<void>;
}
