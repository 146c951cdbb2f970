import { createRandom } from '@hookloom/plugin-kit';
import { QUERY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { tryJson } from '../../shared/try-json.ts';
import type { ListPosition } from './execution-store.ts';

/** Longer than any part of a cursor, be it a sort key or an id. */
const MAX_LENGTH = 300;

/**
 * Writes an opaque cursor for the next page.
 * @param list - identifies the query, since a position is valid only in its own list
 */
export const writeCursor = ({ part, at, executionId }: ListPosition, list: string): string =>
  Buffer.from(JSON.stringify([at, executionId, hashOf(list), part])).toString('base64url');

/** @throws AppError `QUERY_INVALID` if the cursor is malformed or belongs to another list */
export const readCursor = (cursor: string, list: string): ListPosition => {
  const [at, executionId, hash, part] = parseCursor(cursor);
  if (!isKey(at) || !isKey(executionId) || !isKey(part))
    throw new AppError(QUERY_INVALID, { reason: 'cursor must be the nextCursor of an earlier page' });
  if (hash !== hashOf(list)) {
    throw new AppError(QUERY_INVALID, { reason: 'cursor belongs to a list with other parameters' });
  }
  return { part, at, executionId };
};

/** The query of a list whose rows are all at hand. */
interface PagedQuery {
  readonly limit: number;
  /** The `nextCursor` of the previous page; null for the first page. */
  readonly cursor: string | null;
}

/**
 * A page of rows that are sorted by id. A cursor is valid only with the same filters.
 *
 * @throws AppError `QUERY_INVALID` for a cursor of another list
 */
export const takePage = <Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  { limit, cursor, ...filters }: PagedQuery,
): { readonly page: readonly Row[]; readonly nextCursor: string | null } => {
  const list = JSON.stringify(filters);
  const after = cursor === null ? '' : readCursor(cursor, list).at;
  const rest = rows.filter((row) => idOf(row) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || page.length === rest.length) return { page, nextCursor: null };
  const id = idOf(last);
  return { page, nextCursor: writeCursor({ part: 'ids', at: id, executionId: id }, list) };
};

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && /^[\w:.#/-]+$/.test(value);

const parseCursor = (cursor: string): readonly unknown[] => {
  const value = tryJson(Buffer.from(cursor, 'base64url').toString());
  return Array.isArray(value) ? value : [];
};

/** Detects mistakes, not attacks: a forged cursor shows no more than another page. */
const hashOf = (list: string): string => createRandom(list)().toString(36);
