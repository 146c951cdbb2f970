import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { useIsStacked } from './narrow.ts';

export type Columns<Row> = TableProps<Row>['columnDefinitions'];

interface RowsProps<Row> extends Omit<TableProps<Row>, 'columnDefinitions'> {
  /** What the rows are: `Executions`. */
  readonly label: string;
  readonly columns: Columns<Row>;
  /** What there is in their place on a page that has no room for all of them. */
  readonly stack?: Columns<Row>;
  /** Pages of which the rows are those that have been asked for. */
  readonly pages?: {
    readonly data: unknown;
    readonly hasNextPage: boolean;
    readonly isFetching: boolean;
    readonly fetchNextPage: () => unknown;
  };
  /** Announced to screen readers: how many rows this page has, or how many are shown in all. */
  readonly counted?: 'page' | 'shown';
}

/** A table of a view. */
export const Rows = <Row,>(props: RowsProps<Row>): ReactNode => {
  const { label, columns, stack = columns, pages, counted, empty, ariaLabels, ...table } = props;
  const isStacked = useIsStacked();
  return (
    <Table
      wrapLines
      loading={pages !== undefined && pages.data === undefined && pages.isFetching}
      loadingText="Loading"
      footer={
        pages?.hasNextPage && (
          <Box textAlign="center">
            <Button onClick={() => void pages.fetchNextPage()} loading={pages.isFetching}>
              Show more
            </Button>
          </Box>
        )
      }
      {...(counted && { renderAriaLive: ANNOUNCED[counted](label) })}
      {...table}
      ariaLabels={{ tableLabel: label, ...ariaLabels }}
      empty={<Box textAlign="center">{empty}</Box>}
      columnDefinitions={isStacked ? stack : columns}
    />
  );
};

const ANNOUNCED: Readonly<
  Record<'page' | 'shown', (label: string) => NonNullable<TableProps['renderAriaLive']>>
> = {
  page:
    (label) =>
    ({ visibleItemsCount = 0 }) =>
      `${label} on this page: ${visibleItemsCount}`,
  shown:
    () =>
    ({ firstIndex, lastIndex }) =>
      `${lastIndex - firstIndex + 1} shown`,
};
