import type { JsonValue } from '@hookloom/plugin-kit';

/** Status of a durable execution in the engine; `gone` when the engine has no record of it. */
export type DurableStatus = 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped' | 'gone';

/** Identifies a callback in the engine. */
export interface EngineCallback {
  readonly callbackId: string;
  /** The durable execution that waits for it. */
  readonly durableArn: string;
}

/**
 * The engine of durable runs, for callers outside of a run. All methods throw AppError `ENGINE_UNAVAILABLE` when it can't
 * be reached.
 */
export interface DurableService {
  /** `throttled`: asked too often; it says nothing about the execution. */
  findStatus(durableArn: string): Promise<DurableStatus | 'throttled'>;
  /** Blocks further checkpoints. Idempotent. */
  stop(durableArn: string, reason: string): Promise<void>;
  /**
   * Answers a callback, once.
   *
   * @returns false, without a change, when the callback was answered before, timed out, or is unknown
   * @throws AppError `ANSWER_UNCONFIRMED` when the engine did not confirm that it took the answer
   */
  answerCallback(callback: EngineCallback, value: JsonValue): Promise<boolean>;
}
