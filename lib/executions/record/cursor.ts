import { isId } from '../../contract/ids.ts';
import { AppError } from '../../shared/errors.ts';
import { createRandom } from '../../shared/random.ts';
import type { ExecutionSummary } from './execution-store.ts';

/** A place in a list: after this execution. */
export type Position = Pick<ExecutionSummary, 'executionId' | 'startedAt'>;

/** The last time that ISO 8601 writes with four digits of a year, as the store compares times. */
const MAX_TIME = 253_402_300_799_999;

/**
 * Where the next page begins, for a caller to hand back as it is.
 * @param list what the list is of: a place in one list means nothing in another
 */
export const writeCursor = ({ startedAt, executionId }: Position, list: string): string =>
  Buffer.from(JSON.stringify([startedAt, executionId, hashOf(list)])).toString('base64url');

/** @throws AppError `QUERY_INVALID` for a cursor that is none, or another list's */
export const readCursor = (cursor: string, list: string): Position => {
  const [startedAt, executionId, hash] = parse(cursor);
  const isPlace =
    typeof startedAt === 'number' &&
    Number.isInteger(startedAt) &&
    startedAt >= 0 &&
    startedAt <= MAX_TIME &&
    isId(executionId);
  if (!isPlace) throw new AppError('QUERY_INVALID', { reason: 'cursor is not one that a list has given' });
  if (hash !== hashOf(list)) {
    throw new AppError('QUERY_INVALID', { reason: 'cursor is that of a list with other parameters' });
  }
  return { startedAt, executionId };
};

const parse = (cursor: string): unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

/** Tells a mistake, not an attack: a forged cursor shows no more than another page. */
const hashOf = (list: string): string => createRandom(list)().toString(36);
