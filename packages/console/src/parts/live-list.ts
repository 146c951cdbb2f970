/** What a list needs to know of its rows. */
export interface RowKind<Row> {
  readonly id: (row: Row) => string;
  /** ISO 8601 text by which the list is sorted, the latest first. */
  readonly at: (row: Row) => string;
  /** Whether the row can still change. */
  readonly isOpen: (row: Row) => boolean;
}

export interface LiveRows<Row> {
  /** The rows that were there, in their places, as they are now. */
  readonly rows: readonly Row[];
  /** Those that have come since. */
  readonly added: readonly Row[];
  /** Whether open rows may be out of date, since more came than were read again. */
  readonly isBehind: boolean;
}

/**
 * Brings a list up to date without moving what is being read.
 *
 * @param shown - the rows on the screen
 * @param latest - the beginning of the same list, read again
 * @param isWhole - whether `latest` is all of the list
 */
export const mergeLatest = <Row>(
  shown: readonly Row[],
  latest: readonly Row[],
  isWhole: boolean,
  { id, at, isOpen }: RowKind<Row>,
): LiveRows<Row> => {
  const byId = new Map(latest.map((row) => [id(row), row]));
  const end = latest.at(-1);
  const isCovered = (row: Row) => isWhole || (end !== undefined && at(row) > at(end));
  const rows = shown.flatMap((row) => {
    const now = byId.get(id(row));
    if (now !== undefined) return [now];
    return isCovered(row) ? [] : [row]; // it matches the filter no longer, or its place was not read
  });
  const known = new Set(shown.map(id));
  const last = shown.at(-1);
  return {
    rows,
    added: latest.filter((row) => !known.has(id(row)) && (last === undefined || at(row) > at(last))),
    isBehind: rows.some((row) => isOpen(row) && !byId.has(id(row))),
  };
};
