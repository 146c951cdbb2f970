import { isId } from '../../contract/ids.ts';
import { operatorError } from '../../shared/operator-errors.ts';
import { createRandom } from '../../shared/random.ts';
import type { ListPosition } from './execution-store.ts';

/** A position in a list: after this execution. */
export type Position = ListPosition;

/** The last year with four digits, since the store compares times as ISO 8601 text. */
const MAX_TIME = 253_402_300_799_999;

/**
 * Writes an opaque cursor for the next page.
 *
 * @param list - identifies the query, since a position is valid in its own list only
 * @param name - of the part of the list that the position is in
 */
export const writeCursor = ({ startedAt, executionId }: Position, list: string, name = ''): string =>
  Buffer.from(JSON.stringify([startedAt, executionId, hashOf(list), name])).toString('base64url');

/** @throws AppError `QUERY_INVALID` for a malformed cursor, or one of another list */
export const readCursor = (cursor: string, list: string): Position & { readonly name: string } => {
  const [startedAt, executionId, hash, name] = parse(cursor);
  const isPosition =
    typeof startedAt === 'number' &&
    Number.isInteger(startedAt) &&
    startedAt >= 0 &&
    startedAt <= MAX_TIME &&
    isId(executionId) &&
    typeof name === 'string';
  if (!isPosition)
    throw operatorError('QUERY_INVALID', { reason: 'cursor is not one that a list has given' });
  if (hash !== hashOf(list)) {
    throw operatorError('QUERY_INVALID', { reason: 'cursor is that of a list with other parameters' });
  }
  return { startedAt, executionId, name };
};

const parse = (cursor: string): unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

/** Detects mistakes, not attacks: a forged cursor shows no more than another page. */
const hashOf = (list: string): string => createRandom(list)().toString(36);
