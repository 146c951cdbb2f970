import { isId } from '@hookloom/plugin-kit/host';
import type { CheckpointJournal } from '../../engine/checkpoint-journal.ts';
import type { CallbackUrls } from '../../engine/session.ts';
import type { Steps } from '../../engine/steps.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/** Reads an execution's checkpoint journal as it was at the start of this invocation. */
export interface JournalReader {
  count(): Promise<number>;
  /** Reads the checkpoint journal. @throws AppError `STORE_UNAVAILABLE` */
  read(): Promise<CheckpointJournal>;
}

/** What the callback URLs of an execution are made from. */
export interface CallbackSigner {
  readonly executionId: string;
  readonly workflowId: string;
  readonly callbackKey: string | null;
}

/** The durable or express engine, as seen by one invocation of a background run. */
export interface BackgroundEngine {
  readonly mode: BackgroundMode;
  /** When the timeout started, in milliseconds since the epoch; if absent, the timeout starts with the execution. */
  readonly since?: number;
  /** The owner of the lease: see {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly steps: Steps;
  /** Reads the checkpoint journal; null if no checkpoint outlives the process. */
  readonly journal: JournalReader | null;
  /** Keys of the blobs with results of steps that this process has seen. They are needed until the run ends. */
  readonly stepBlobs?: ReadonlySet<string>;
  /** Creates the callback URLs of a run; null if it can't wait for an answer. */
  readonly openCallbackUrls: ((signer: CallbackSigner) => CallbackUrls) | null;
  /** How many operations the execution has taken, without its start; absent if none are billed. */
  readonly countOperations?: () => number;
  /** Reports I/O outside steps to the engine, which suspends a run that has none. */
  track<Value>(work: Promise<Value>): Promise<Value>;
}

/** One invocation of a background run, from its start or resumption until it ends or is suspended. */
export interface BackgroundInvocation {
  /**
   * Starts or resumes the execution. Resolves once it has ended, now or earlier, and never if the engine suspends it.
   * All data is loaded before the lease is acquired, so that nothing has run if loading fails.
   * @throws AppError `STORE_UNAVAILABLE` and other infrastructure errors, which Lambda retries
   */
  run(executionId: string, engine: BackgroundEngine): Promise<void>;
  /** Stops the run in this process, after the engine has suspended it. */
  halt(): void;
  /** Records the progress of a suspended run. Never rejects. */
  suspend(): Promise<void>;
  /** Keeps this invocation's infrastructure error from counting as a crash. Never rejects. */
  uncountCrash(): Promise<void>;
  /** Finishes the execution after its engine has failed it. */
  fail(failure: { readonly name: string; readonly message: string }): Promise<void>;
  /** Ends all timers and writes. */
  close(): Promise<void>;
}

/**
 * Reads the payload of a background run, which is `{executionId}` and nothing else, so that dispatching twice starts it
 * once.
 * @throws TypeError
 */
export const readExecutionId = (payload: unknown): string => {
  const { executionId } = (payload ?? {}) as { readonly executionId?: unknown };
  if (isId(executionId)) return executionId;
  throw new TypeError('The payload has no valid executionId.');
};
