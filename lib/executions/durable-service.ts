import type { JsonValue } from '../contract/json.ts';

/** How the engine says that a durable execution stands; `gone` when it knows of none, or no longer. */
export type DurableStatus = 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped' | 'gone';

/**
 * The engine of durable runs as seen from outside of a run: by who answers, cancels or sweeps.
 * All methods reject with {@link AppError} `ENGINE_UNAVAILABLE` when it can't be had.
 */
export interface DurableService {
  findStatus(durableArn: string): Promise<DurableStatus>;
  /** Blocks further checkpoints. Stopping what has ended changes nothing. */
  stop(durableArn: string, reason: string): Promise<void>;
  /** Once: false, and nothing changed, when the callback was answered, timed out, or is unknown. */
  answerCallback(callbackId: string, value: JsonValue): Promise<boolean>;
}
