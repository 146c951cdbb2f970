import { brandError, hasBrand } from './error-brand.ts';
import type { JsonObject } from './json.ts';

export interface NodeErrorOptions {
  /** Shown with the message, such as `HttpStatusError`; `NodeError` by default. */
  readonly name?: string;
  /** False makes no further attempt, whatever `settings.retry` says; true by default. */
  readonly isRetryable?: boolean;
  /** Least delay before the next attempt in milliseconds, within `settings.retry.maxDelaySeconds`. */
  readonly retryAfterMs?: number;
  /**
   * Delivered as `error.details` on the output `error`, and shown in records, bounded and redacted by name. At most
   * 32 kB as JSON; without secrets, like the message.
   */
  readonly details?: JsonObject;
  /** For the log only. */
  readonly cause?: unknown;
}

/** Name of the error that ends runs inside of runs. The nodes around it fail with the same: what each would add says nothing. */
export const NESTING_LIMIT = 'NestingLimit';

/** A failure of a node that says how it is retried, and why it failed as data. */
export class NodeError extends Error {
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: JsonObject | undefined;

  constructor(message: string, options: NodeErrorOptions = {}) {
    const { name = 'NodeError', isRetryable = true, retryAfterMs, details, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
    this.details = details;
    brandError(this, 'NodeError');
  }
}

export const isNodeError = (thrown: unknown): thrown is NodeError => hasBrand(thrown, 'NodeError');
