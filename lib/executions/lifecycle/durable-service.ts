import type { JsonValue } from '../../contract/json.ts';

/** How the engine says that a durable execution stands; `gone` when it knows of none, or no longer. */
export type DurableStatus = 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped' | 'gone';

/** A callback as the engine names it. */
export interface EngineCallback {
  readonly callbackId: string;
  /** The durable execution that waits for it. */
  readonly durableArn: string;
}

/**
 * The engine of durable runs as seen from outside of a run: by who answers, cancels or sweeps.
 * All methods reject with {@link AppError} `ENGINE_UNAVAILABLE` when it can't be had.
 */
export interface DurableService {
  findStatus(durableArn: string): Promise<DurableStatus>;
  /** Blocks further checkpoints. Stopping what has ended changes nothing. */
  stop(durableArn: string, reason: string): Promise<void>;
  /**
   * Answers a callback, once.
   * @returns false, and nothing changed, when the callback was answered before, timed out, or is unknown
   * @throws {AppError} ANSWER_UNCONFIRMED when the engine can't be asked whether it took the answer
   */
  answerCallback(callback: EngineCallback, value: JsonValue): Promise<boolean>;
}
