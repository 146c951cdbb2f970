import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import type { RowKind } from '../../parts/live-list.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { NewRows, NewRowsNotice } from '../../parts/new-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { disabledBy } from '../../parts/page-settings.ts';
import { LATEST_SIZE, LIST_EVERY_MS, PAGE_SIZE, useLiveList } from '../../parts/use-live-list.ts';
import { withQuery } from '../../parts/with-query.ts';
import { ExecutionFilters } from './execution-filters.tsx';
import { type Execution, ExecutionTable } from './execution-table.tsx';
import {
  FILTER_NAMES,
  hasUnretryableFilter,
  isOpen,
  isRunningNow,
  toBulkRetryQuery,
  toListQuery,
} from './filters.ts';
import { RetrySelected } from './retry-selected.tsx';

const KIND: RowKind<Execution> = {
  id: ({ executionId }) => executionId,
  at: ({ startedAt }) => startedAt,
  isOpen: ({ status }) => isOpen(status),
};

/** All executions, the latest first, with filters. */
const Executions = (): ReactNode => {
  const [, navigate] = useLocation();
  const [filters, change] = useAddressStates(FILTER_NAMES);
  const pages = useCursorPages();
  const [selected, setSelected] = useState<readonly Execution[]>([]);
  const [isAsking, setAsking] = useState(false);

  const asked = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the period begins when the filters change, not with each look
  const query = useMemo(
    () => ({ ...toListQuery(filters, Date.now()), cursor: pages.cursor }),
    [asked, pages.cursor],
  );
  const isLiveOnly = isRunningNow(filters);
  const page = useApi('GET /api/admin/executions', { query: { ...query, limit: PAGE_SIZE } });
  const hasOpen = page.data?.executions.some(({ status }) => isOpen(status)) ?? false;
  const latest = useApi(
    'GET /api/admin/executions',
    { query: { ...query, limit: isLiveOnly ? PAGE_SIZE : LATEST_SIZE } },
    { everyMs: pages.cursor === '' || hasOpen ? LIST_EVERY_MS : false },
  );
  const list = useLiveList({
    key: JSON.stringify(query),
    page,
    latest,
    toPage: ({ executions, nextCursor }) => ({ rows: executions, nextCursor }),
    kind: KIND,
    isFollowing: false,
  });
  // What runs now has the oldest first, so new ones move nothing.
  const rows = isLiveOnly ? (latest.data?.executions ?? []) : (list?.rows ?? []);
  const next = isLiveOnly ? (latest.data?.nextCursor ?? null) : (list?.nextCursor ?? null);
  const added = isLiveOnly || pages.cursor !== '' ? 0 : (list?.added.length ?? 0);
  const chosen = rows.filter(({ executionId }) => selected.some((each) => each.executionId === executionId));
  const retryable = chosen.filter(({ status }) => !isOpen(status));
  const hasFilter = Object.values(filters).some((value) => value !== '');

  return (
    <Page
      title="Executions"
      description={isLiveOnly ? 'What runs now, the oldest first.' : 'The latest first.'}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <NewRows count={added} onShow={() => list?.showAdded()} />
          <Button
            {...disabledBy(retryable.length === 0 && 'Select executions that have ended.')}
            onClick={() => setAsking(true)}
          >
            {retryable.length === 0 ? 'Retry selected' : `Retry ${retryable.length} selected`}
          </Button>
          <Button
            {...disabledBy(
              hasUnretryableFilter(filters) &&
                'Clear the filters by key, request and bulk retry, which a bulk retry lacks.',
            )}
            onClick={() => navigate(withQuery('/bulk-retries/new', toBulkRetryQuery(filters, Date.now())))}
          >
            Retry all that match
          </Button>
        </SpaceBetween>
      }
    >
      <ExecutionFilters
        filters={filters}
        onChange={(changes) => change({ ...changes, cursor: '' } as Record<string, string>)}
      />
      {page.data?.omitsEarlier === true && (
        <Alert type="info">
          Executions from before an update are only in the lists of their workflows, until `hookloom migrate`
          adds them.
        </Alert>
      )}
      {isAsking && (
        <RetrySelected
          executions={retryable}
          onClose={() => {
            setAsking(false);
            setSelected([]);
          }}
        />
      )}
      <Loaded query={isLiveOnly ? latest : page}>
        {() => (
          <ExecutionTable
            executions={rows}
            selected={chosen}
            onSelect={setSelected}
            empty={
              <SpaceBetween size="xs">
                <Box variant="p">
                  {next !== null
                    ? 'None of those that were searched so far matches. Search older ones, or choose a period.'
                    : hasFilter
                      ? 'No execution matches the filters.'
                      : 'Nothing has run yet. An execution appears here when a trigger fires or a workflow is started by hand.'}
                </Box>
                {next !== null && <Button onClick={() => pages.toNext(next)}>Search older ones</Button>}
                {hasFilter && <Button onClick={() => navigate('/executions')}>Clear the filters</Button>}
              </SpaceBetween>
            }
          />
        )}
      </Loaded>
      <NewRowsNotice count={added} isBehind={!isLiveOnly && (list?.isBehind ?? false)} />
      <Box float="right">
        <CursorButtons
          pages={pages}
          next={next}
          nextChanges={{ last: '', from: query.from, to: query.to }}
          {...(isLiveOnly ? { labels: ['Earlier', 'Later'] as const } : {})}
        />
      </Box>
    </Page>
  );
};

export default Executions;
