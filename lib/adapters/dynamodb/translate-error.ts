import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

interface ConditionFailed extends Error {
  /** See `DynamoDbClient`. */
  readonly $metadata?: { readonly attempts?: number };
}

export const isConditionFailed = (error: unknown): error is ConditionFailed =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/** Errors that are bugs: a retry would not help, and reporting them as an outage would hide them. */
const BUGS = new Set(['ValidationException', 'SerializationException', 'TypeError', 'ReferenceError']);

/**
 * Translates the errors of a call to DynamoDB: throttling, network, timeouts, permissions, a missing table.
 * @throws AppError `STORE_UNAVAILABLE`; a failed condition and bugs are thrown unchanged
 */
export const translateErrors = async <Output>(call: Promise<Output>): Promise<Output> => {
  try {
    return await call;
  } catch (error) {
    if (isConditionFailed(error) || (error instanceof Error && BUGS.has(error.name))) throw error;
    throw new AppError(STORE_UNAVAILABLE, {}, error);
  }
};
