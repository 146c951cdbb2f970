import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { readOnly } from '../../parts/page-settings.ts';
import { Time } from '../../parts/time.tsx';
import { LIST_EVERY_MS } from '../../parts/use-live-list.ts';
import { BulkRetryProgress, BulkRetryState } from './bulk-retry-state.tsx';
import { describeFilter } from './describe-bulk-retry.ts';

/** Retries of many executions, the latest first. */
const BulkRetries = (): ReactNode => {
  const [, navigate] = useLocation();
  const pages = useCursorPages();
  const isStacked = useIsStacked();
  const list = useApi(
    'GET /api/admin/bulk-retries',
    { query: { limit: 25, cursor: pages.cursor } },
    { everyMs: LIST_EVERY_MS },
  );
  const start = (
    <Button {...readOnly} onClick={() => navigate('/bulk-retries/new')}>
      Retry many executions
    </Button>
  );
  return (
    <SpaceBetween size="l">
      <Header variant="h1" actions={start} description="Retries of all executions that match a filter.">
        Bulk retries
      </Header>
      <Loaded query={list}>
        {({ bulkRetries, nextCursor }) => (
          <>
            <Table
              items={bulkRetries}
              trackBy="bulkRetryId"
              enableKeyboardNavigation={true}
              ariaLabels={{ tableLabel: 'Bulk retries' }}
              empty={
                <Box textAlign="center">
                  <Box variant="p">
                    There is none yet. When the cause of many failures has been removed, retry them together.
                  </Box>
                </Box>
              }
              wrapLines={true}
              columnDefinitions={isStacked ? STACK : COLUMNS}
            />
            <Box float="right">
              <CursorButtons pages={pages} next={nextCursor} />
            </Box>
          </>
        )}
      </Loaded>
    </SpaceBetween>
  );
};

type BulkRetry = Answer<'GET /api/admin/bulk-retries'>['bulkRetries'][number];

const Started = ({ bulkRetryId, createdAt, by }: BulkRetry): ReactNode => (
  <>
    <IdLink of="bulk-retries" id={bulkRetryId}>
      <Time at={createdAt} />
    </IdLink>
    {by !== null && (
      <Box variant="small" display="block">
        <span className="any-text">by {by}</span>
      </Box>
    )}
  </>
);

const Retried = ({ filter }: BulkRetry): ReactNode => (
  <span className="any-text">
    {filter.workflowId === null ? 'All workflows' : <IdLink of="workflows" id={filter.workflowId} />}
    <Box variant="small" display="block">
      {describeFilter(filter)}
    </Box>
  </span>
);

const COLUMNS: TableProps<BulkRetry>['columnDefinitions'] = [
  { id: 'state', header: 'State', minWidth: 120, cell: (each) => <BulkRetryState {...each} /> },
  { id: 'created', header: 'Started', isRowHeader: true, minWidth: 200, cell: Started },
  { id: 'executions', header: 'Executions', minWidth: 200, cell: Retried },
  {
    id: 'progress',
    header: 'Progress',
    minWidth: 260,
    cell: (bulkRetry) => <BulkRetryProgress bulkRetry={bulkRetry} />,
  },
];

/** All of a row below each other. */
const STACK: TableProps<BulkRetry>['columnDefinitions'] = [
  {
    id: 'created',
    header: 'Bulk retry',
    isRowHeader: true,
    cell: (bulkRetry) => (
      <>
        <BulkRetryState {...bulkRetry} />
        <div>
          <Started {...bulkRetry} />
        </div>
        <Retried {...bulkRetry} />
        <BulkRetryProgress bulkRetry={bulkRetry} />
      </>
    ),
  },
];

export default BulkRetries;
