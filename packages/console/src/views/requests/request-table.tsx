import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { IdLink } from '../../parts/app-link.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { type RequestSummary, RequestVerdict } from './request-verdict.tsx';

interface RequestTableProps {
  readonly requests: readonly RequestSummary[];
  readonly empty: ReactNode;
}

export const RequestTable = ({ requests, empty }: RequestTableProps): ReactNode => (
  <Rows
    label="Requests"
    items={requests}
    trackBy="id"
    enableKeyboardNavigation
    contentDensity="compact"
    counted="page"
    empty={empty}
    columns={COLUMNS}
    stack={STACK}
  />
);

const Received = ({ id, receivedAt, sender }: RequestSummary): ReactNode => (
  <>
    <IdLink of="requests" id={id}>
      <Time at={receivedAt} />
    </IdLink>
    <Box variant="small" display="block">
      from {sender}
    </Box>
  </>
);

const Request = ({ method, path, key }: RequestSummary): ReactNode => (
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

const Outcome = ({ refusal, executionId }: RequestSummary): ReactNode =>
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

const COLUMNS: Columns<RequestSummary> = [
  {
    header: 'Verdict',
    minWidth: 120,
    cell: ({ verdict }) => <RequestVerdict verdict={verdict} />,
  },
  {
    header: 'Received',
    isRowHeader: true,
    minWidth: 200,
    cell: Received,
  },
  { header: 'Request', minWidth: 160, maxWidth: 260, cell: Request },
  { header: 'What happened', minWidth: 260, cell: Outcome },
];

/** All of a row below each other. */
const STACK: Columns<RequestSummary> = [
  {
    header: 'Request',
    isRowHeader: true,
    cell: (row) => (
      <>
        <RequestVerdict verdict={row.verdict} />
        <div>
          <Received {...row} />
        </div>
        <Request {...row} />
        <div>
          <Outcome {...row} />
        </div>
      </>
    ),
  },
];
