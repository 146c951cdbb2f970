import type { Clock } from '../contract/services.ts';
import { AppError } from '../errors.ts';
import { isFinal } from '../executions/execution.ts';
import type { CallbackPlace, ExecutionRecord, ExecutionStore } from '../executions/execution-store.ts';
import { isSignedBy, readToken } from './token.ts';

export interface PlaceParts {
  readonly executions: Pick<ExecutionStore, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A place where an execution waits to be answered, as its address names it. */
export interface OpenPlace {
  readonly record: ExecutionRecord;
  readonly place: CallbackPlace;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * @param text the last segment of the address
 * @throws AppError `CALLBACK_NOT_FOUND` for what nobody signed, `CALLBACK_GONE` when the time is up or the execution
 *   has ended, `STORE_UNAVAILABLE`
 */
export const findPlace = async (text: string, { executions, clock }: PlaceParts): Promise<OpenPlace> => {
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
  const place = Object.hasOwn(record.callbacks, token.name) ? record.callbacks[token.name] : undefined;
  if (place === undefined) throw new AppError('CALLBACK_NOT_FOUND', {});
  if (token.expiresAt <= clock.now() || isFinal(record.status)) throw new AppError('CALLBACK_GONE', {});
  return { record, place, expiresAt: token.expiresAt };
};
