import Box from '@cloudscape-design/components/box';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { IdLink } from '../../parts/app-link.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { Time } from '../../parts/time.tsx';
import { type RequestSummary, RequestVerdict } from './request-verdict.tsx';

interface RequestTableProps {
  readonly requests: readonly RequestSummary[];
  readonly empty: ReactNode;
}

export const RequestTable = ({ requests, empty }: RequestTableProps): ReactNode => (
  <Table
    items={requests}
    trackBy="id"
    enableKeyboardNavigation={true}
    wrapLines={true}
    contentDensity="compact"
    ariaLabels={{ tableLabel: 'Requests' }}
    renderAriaLive={({ visibleItemsCount }) => `Requests on this page: ${visibleItemsCount ?? 0}`}
    empty={<Box textAlign="center">{empty}</Box>}
    columnDefinitions={useIsStacked() ? STACK : COLUMNS}
  />
);

interface RowProps {
  readonly row: RequestSummary;
}

const Received = ({ row: { id, receivedAt, sender } }: RowProps): ReactNode => (
  <>
    <IdLink of="requests" id={id}>
      <Time at={receivedAt} />
    </IdLink>
    <Box variant="small" display="block">
      from {sender}
    </Box>
  </>
);

const Request = ({ row: { method, path, key } }: RowProps): ReactNode => (
  <>
    <span className="any-length few-lines" title={path}>
      {method} {path}
    </span>
    {key !== null && (
      <Box variant="small" display="block">
        <span className="any-length few-lines" title={key}>
          key {key}
        </span>
      </Box>
    )}
  </>
);

const Outcome = ({ row: { refusal, executionId } }: RowProps): ReactNode =>
  refusal === null ? (
    executionId !== null && (
      <span className="any-text">
        <IdLink of="executions" id={executionId} />
      </span>
    )
  ) : (
    <span className="any-text">
      <MarkedText text={refusal.reason ?? refusal.detail} />
      {refusal.advice !== null && (
        <Box variant="small" display="block">
          <MarkedText text={refusal.advice} />
        </Box>
      )}
    </span>
  );

const COLUMNS: TableProps<RequestSummary>['columnDefinitions'] = [
  {
    id: 'verdict',
    header: 'Verdict',
    minWidth: 120,
    cell: ({ verdict }) => <RequestVerdict verdict={verdict} />,
  },
  {
    id: 'received',
    header: 'Received',
    isRowHeader: true,
    minWidth: 200,
    cell: (row) => <Received row={row} />,
  },
  { id: 'path', header: 'Request', minWidth: 160, maxWidth: 260, cell: (row) => <Request row={row} /> },
  { id: 'outcome', header: 'What happened', minWidth: 260, cell: (row) => <Outcome row={row} /> },
];

/** All of a row below each other. */
const STACK: TableProps<RequestSummary>['columnDefinitions'] = [
  {
    id: 'received',
    header: 'Request',
    isRowHeader: true,
    cell: (row) => (
      <>
        <RequestVerdict verdict={row.verdict} />
        <div>
          <Received row={row} />
        </div>
        <Request row={row} />
        <div>
          <Outcome row={row} />
        </div>
      </>
    ),
  },
];
