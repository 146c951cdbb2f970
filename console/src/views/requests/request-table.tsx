import Box from '@cloudscape-design/components/box';
import Table from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { AppLink } from '../../parts/app-link.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
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
    renderAriaLive={({ visibleItemsCount }) => `${visibleItemsCount ?? 0} requests on this page`}
    empty={<Box textAlign="center">{empty}</Box>}
    columnDefinitions={[
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
        minWidth: 220,
        cell: ({ id, receivedAt }) => (
          <AppLink to={`/requests/${encodeURIComponent(id)}`}>
            <Time at={receivedAt} />
          </AppLink>
        ),
      },
      {
        id: 'path',
        header: 'Request',
        minWidth: 160,
        maxWidth: 300,
        cell: ({ method, path }) => (
          <span className="any-length few-lines" title={path}>
            {method} {path}
          </span>
        ),
      },
      {
        id: 'outcome',
        header: 'What happened',
        minWidth: 280,
        cell: ({ refusal, executionId }) =>
          refusal === null ? (
            executionId !== null && (
              <span className="any-text">
                <AppLink to={`/executions/${encodeURIComponent(executionId)}`}>{executionId}</AppLink>
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
          ),
      },
      { id: 'sender', header: 'Sender', minWidth: 120, cell: ({ sender }) => sender },
      {
        id: 'key',
        header: 'Delivery key',
        minWidth: 120,
        maxWidth: 240,
        cell: ({ key }) =>
          key === null ? (
            '–'
          ) : (
            <span className="any-length few-lines" title={key}>
              {key}
            </span>
          ),
      },
    ]}
  />
);
