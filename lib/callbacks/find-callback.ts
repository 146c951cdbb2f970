import type { Clock } from '../contract/services.ts';
import { isFinal } from '../executions/record/execution-status.ts';
import type {
  ExecutionRecord,
  ExecutionStore,
  PendingCallback,
} from '../executions/record/execution-store.ts';
import { AppError } from '../shared/errors.ts';
import { isSignedBy, readToken } from './callback-token.ts';

export interface FindCallbackParts {
  readonly executions: Pick<ExecutionStore, 'find' | 'findCallback'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A place where an execution waits to be answered, as its address names it. */
export interface OpenCallback {
  readonly record: ExecutionRecord;
  readonly place: PendingCallback;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * @param text the last segment of the address
 * @throws AppError `CALLBACK_NOT_FOUND` for what nobody signed, `CALLBACK_GONE` when the time is up or the execution
 *   has ended, `STORE_UNAVAILABLE`
 */
export const findPendingCallback = async (
  text: string,
  { executions, clock }: FindCallbackParts,
): Promise<OpenCallback> => {
  const token = readToken(text);
  const record = token === null ? null : await executions.find(token.executionId);
  if (
    token === null ||
    record === null ||
    record.callbackKey === null ||
    !isSignedBy(text, record.callbackKey)
  ) {
    throw new AppError('CALLBACK_NOT_FOUND', {});
  }
  if (token.expiresAt <= clock.now() || isFinal(record.status)) throw new AppError('CALLBACK_GONE', {});
  const place = await executions.findCallback(token.executionId, token.name);
  if (place === null) throw new AppError('CALLBACK_NOT_FOUND', {});
  return { record, place, expiresAt: token.expiresAt };
};
