import type { JsonValue } from '@hookloom/plugin-kit';

/** The status of a durable execution in the engine; `gone` if the engine has no record of it. */
export type DurableStatus = 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped' | 'gone';

/** A callback, as the engine identifies it. */
interface EngineCallback {
  readonly callbackId: string;
  /** The durable execution that waits for it. */
  readonly durableArn: string;
}

/**
 * The engine of durable runs, for callers outside a run. All methods throw AppError `ENGINE_UNAVAILABLE` if it can't be
 * reached.
 */
export interface DurableService {
  /**
   * Asks the engine for the status of an execution. `throttled` means that the engine was asked too often; it says
   * nothing about the execution.
   */
  findStatus(durableArn: string): Promise<DurableStatus | 'throttled'>;
  /** Stops a durable execution, so that it makes no further checkpoints. Idempotent. */
  stop(durableArn: string, reason: string): Promise<void>;
  /**
   * Answers a callback, once.
   * @returns false, with nothing changed, if the callback was already answered, timed out, or is unknown
   * @throws AppError `ANSWER_UNCONFIRMED` if the engine did not confirm that it accepted the answer
   */
  answerCallback(callback: EngineCallback, value: JsonValue): Promise<boolean>;
}
