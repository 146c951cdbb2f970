import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LiveRows, mergeLatest, type RowKind } from './live-list.ts';

/** Rows on a page. */
export const PAGE_SIZE = 50;

/** Rows that are read again: more than a page, so that new ones don't push it out. */
export const LATEST_SIZE = 100;

/** How often a list is read again while it is open. */
export const LIST_EVERY_MS = 2_000;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

interface LiveListParts<Data, Row> {
  /** Names the page: another one is shown when it changes. */
  readonly key: string;
  /** The page, `PAGE_SIZE` rows. */
  readonly page: UseQueryResult<Data, Error>;
  /** The same from its beginning, `LATEST_SIZE` rows, asked for again and again. */
  readonly latest: UseQueryResult<Data, Error>;
  readonly toPage: (data: Data) => Page<Row>;
  readonly kind: RowKind<Row>;
  /** Whether new rows are shown as they come. */
  readonly isFollowing: boolean;
}

interface LiveList<Row> extends LiveRows<Row> {
  readonly nextCursor: string | null;
  /** Shows those that have come. */
  readonly showAdded: () => void;
}

interface Shown<Data, Row> extends LiveRows<Row> {
  readonly key: string;
  readonly nextCursor: string | null;
  /** The answer that the rows have been compared with. */
  readonly seen: Data | undefined;
}

/** A page of a list that stays in its place while its rows are kept up to date; null until it has been read. */
export const useLiveList = <Data, Row>({
  key,
  page,
  latest,
  toPage,
  kind,
  isFollowing,
}: LiveListParts<Data, Row>): LiveList<Row> | null => {
  const [shown, setShown] = useState<Shown<Data, Row> | null>(null);
  const adopt = (data: Data) =>
    setShown({ ...toPage(data), key, added: [], isBehind: false, seen: undefined });

  const isOther = shown?.key !== key;
  if (isOther && page.data !== undefined) adopt(page.data);
  else if (!isOther && latest.data !== undefined && latest.data !== shown.seen) {
    const { rows, nextCursor } = toPage(latest.data);
    setShown({ ...shown, ...mergeLatest(shown.rows, rows, nextCursor === null, kind), seen: latest.data });
  }

  const showAdded = () => void page.refetch().then(({ data }) => data !== undefined && adopt(data));
  const shouldAdopt = !isOther && shown.added.length > 0 && (isFollowing || shown.rows.length === 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function each time, which does the same
  useEffect(() => {
    if (shouldAdopt) showAdded();
  }, [shouldAdopt, shown?.seen]);

  return isOther ? null : { ...shown, showAdded };
};
