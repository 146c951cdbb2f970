import { brandError, hasBrand } from './error-brand.ts';
import type { JsonObject } from './json.ts';

export interface NodeErrorOptions {
  /** Shown with the message, such as `HttpStatusError`; `NodeError` by default. */
  readonly name?: string;
  /**
   * Whether another attempt may succeed. False prevents further attempts, whatever `settings.retry` says; true by
   * default.
   */
  readonly isRetryable?: boolean;
  /** Minimum delay before the next attempt in milliseconds, capped by `settings.retry.maxDelaySeconds`. */
  readonly retryAfterMs?: number;
  /**
   * Delivered as `error.details` on the output `error`, and shown in records, limited in size and redacted by key. At
   * most 32 kB as JSON. Put no secrets in it or in the message.
   */
  readonly details?: JsonObject;
  /** The cause, which is only logged. */
  readonly cause?: unknown;
}

/** Name of the error that ends runs nested too deep. The nodes around it fail with the same error, since wrapping it would add nothing. */
export const NESTING_LIMIT = 'NestingLimit';

/** A failure of a node that says how it may be retried and carries details as data. */
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
