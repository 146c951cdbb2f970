import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { Time } from '../../parts/time.tsx';
import { LIST_EVERY_MS } from '../../parts/use-live-list.ts';
import { BulkRetryProgress, BulkRetryState } from './bulk-retry-state.tsx';
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
              columnDefinitions={[
                { id: 'state', header: 'State', minWidth: 120, cell: (each) => <BulkRetryState {...each} /> },
                {
                  id: 'created',
                  header: 'Started',
                  isRowHeader: true,
                  minWidth: 190,
                  cell: ({ bulkRetryId, createdAt }) => (
                    <AppLink to={`/bulk-retries/${encodeURIComponent(bulkRetryId)}`}>
                      <Time at={createdAt} />
                    </AppLink>
                  ),
                },
                {
                  id: 'workflow',
                  header: 'Workflow',
                  maxWidth: 240,
                  cell: ({ filter: { workflowId } }) =>
                    workflowId === null ? (
                      'All'
                    ) : (
                      <AppLink to={`/workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</AppLink>
                    ),
                },
                {
                  id: 'filter',
                  header: 'Executions',
                  maxWidth: 300,
                  cell: ({ filter }) => describeFilter(filter),
                },
                {
                  id: 'progress',
                  header: 'Progress',
                  minWidth: 260,
                  cell: (bulkRetry) => <BulkRetryProgress bulkRetry={bulkRetry} />,
                },
                { id: 'by', header: 'By', maxWidth: 240, cell: ({ by }) => by ?? '–' },
              ]}
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

export default BulkRetries;
