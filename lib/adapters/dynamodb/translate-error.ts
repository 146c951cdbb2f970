import { AppError } from '../../shared/errors.ts';

/** A write whose condition did not hold: an expected outcome, not a fault. */
const isConditionFailed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/** Mistakes of ours: trying again would not help, and calling them an outage would hide them. */
const OUR_MISTAKES = new Set([
  'ValidationException',
  'SerializationException',
  'TypeError',
  'ReferenceError',
]);

/**
 * Waits for a call to DynamoDB. Whatever keeps it from answering (throttling, network, time, rights, a missing
 * table) is one thing to our callers.
 * @throws AppError `STORE_UNAVAILABLE`; a failed condition and our own mistakes pass as they are
 */
export const fromStore = async <Output>(call: Promise<Output>): Promise<Output> => {
  try {
    return await call;
  } catch (error) {
    if (isConditionFailed(error) || (error instanceof Error && OUR_MISTAKES.has(error.name))) throw error;
    throw new AppError('STORE_UNAVAILABLE', {}, error);
  }
};

/** Waits for a conditional write: false when its condition did not hold. */
export const isWritten = async (call: Promise<unknown>): Promise<boolean> => {
  try {
    await fromStore(call);
    return true;
  } catch (error) {
    if (isConditionFailed(error)) return false;
    throw error;
  }
};
