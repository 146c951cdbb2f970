import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { withQuery } from './with-query.ts';

/** The pages that were shown before this one, kept in the history, so that they survive a reload. */
const readTrail = (): readonly string[] => {
  const state: unknown = history.state;
  return Array.isArray(state) ? state.filter((cursor) => typeof cursor === 'string') : [];
};

/** Pages of a list, one at a time: the cursor is in the address, and the browser's Back leads to the page before. */
export const useCursorPages = () => {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const parameters = Object.fromEntries(new URLSearchParams(search));
  const cursor = parameters.cursor ?? '';
  const show = (changes: Readonly<Record<string, string>>, trail: readonly string[]) =>
    navigate(withQuery(location, { ...parameters, ...changes }), { state: trail });
  return {
    /** Of the page that is shown; empty for the first one. */
    cursor,
    /** Shows the page of a cursor, with other parameters of the address if it needs them. */
    toNext: (next: string, changes: Readonly<Record<string, string>> = {}) =>
      show({ ...changes, cursor: next }, [...readTrail(), cursor]),
    toPrevious: () => show({ cursor: readTrail().at(-1) ?? '' }, readTrail().slice(0, -1)),
    toFirst: () => show({ cursor: '' }, []),
  };
};

interface CursorButtonsProps {
  readonly pages: ReturnType<typeof useCursorPages>;
  /** The cursor of the page after this one; null if this is the last. */
  readonly next: string | null;
  /** Other parameters of the address that the next page needs. */
  readonly nextChanges?: Readonly<Record<string, string>>;
  /** The words for both directions; those of a list with the latest first when absent. */
  readonly labels?: readonly [previous: string, next: string];
}

/** The buttons of a paged list; nothing if there is only one page. */
export const CursorButtons = ({
  pages: { cursor, toFirst, toNext, toPrevious },
  next,
  nextChanges,
  labels: [previousLabel, nextLabel] = ['Newer', 'Older'],
}: CursorButtonsProps): ReactNode =>
  cursor === '' && next === null ? null : (
    <SpaceBetween direction="horizontal" size="xs">
      {cursor !== '' && (
        <Button onClick={toFirst} variant="link">
          First page
        </Button>
      )}
      <Button iconName="angle-left" disabled={cursor === ''} onClick={toPrevious}>
        {previousLabel}
      </Button>
      <Button
        iconName="angle-right"
        iconAlign="right"
        disabled={next === null}
        onClick={() => next !== null && toNext(next, nextChanges)}
      >
        {nextLabel}
      </Button>
    </SpaceBetween>
  );
