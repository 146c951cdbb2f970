import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { LIST_EVERY_MS } from '../../parts/use-live-list.ts';
import {
  type BulkRetrySummary as BulkRetry,
  BulkRetryProgress,
  BulkRetryState,
} from './bulk-retry-state.tsx';
import { describeFilter } from './describe-bulk-retry.ts';

/** Retries of many executions, the latest first. */
const BulkRetries = (): ReactNode => {
  const [, navigate] = useLocation();
  const pages = useCursorPages();
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
    <Page title="Bulk retries" actions={start} description="Retries of all executions that match a filter.">
      <Loaded query={list}>
        {({ bulkRetries, nextCursor }) => (
          <>
            <Rows
              label="Bulk retries"
              items={bulkRetries}
              trackBy="bulkRetryId"
              enableKeyboardNavigation
              empty={
                <Box variant="p">
                  There is none yet. When the cause of many failures has been removed, retry them together.
                </Box>
              }
              columns={COLUMNS}
              stack={STACK}
            />
            <Box float="right">
              <CursorButtons pages={pages} next={nextCursor} />
            </Box>
          </>
        )}
      </Loaded>
    </Page>
  );
};

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

const COLUMNS: Columns<BulkRetry> = [
  { header: 'State', minWidth: 120, cell: BulkRetryState },
  { header: 'Started', isRowHeader: true, minWidth: 200, cell: Started },
  { header: 'Executions', minWidth: 200, cell: Retried },
  {
    header: 'Progress',
    minWidth: 260,
    cell: BulkRetryProgress,
  },
];

/** All of a row below each other. */
const STACK: Columns<BulkRetry> = [
  {
    header: 'Bulk retry',
    isRowHeader: true,
    cell: (bulkRetry) => (
      <>
        <BulkRetryState {...bulkRetry} />
        <div>
          <Started {...bulkRetry} />
        </div>
        <Retried {...bulkRetry} />
        <BulkRetryProgress {...bulkRetry} />
      </>
    ),
  },
];

export default BulkRetries;
