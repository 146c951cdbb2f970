import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { ChoicesField } from '../../parts/choices-field.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import type { RowKind } from '../../parts/live-list.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { NewRows, NewRowsNotice } from '../../parts/new-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { periodBounds } from '../../parts/period.ts';
import { PeriodField } from '../../parts/period-field.tsx';
import { LATEST_SIZE, LIST_EVERY_MS, PAGE_SIZE, useLiveList } from '../../parts/use-live-list.ts';
import { WorkflowField } from '../../parts/workflow-field.tsx';
import { RequestTable } from './request-table.tsx';
import { type RequestSummary, VERDICT_OPTIONS } from './request-verdict.tsx';

const FILTERS = [
  'workflowId',
  'verdict',
  'key',
  'sender',
  'request',
  'last',
  'from',
  'to',
  'follow',
] as const;

const KIND: RowKind<RequestSummary> = {
  id: ({ id }) => id,
  at: ({ receivedAt }) => receivedAt,
  isOpen: () => false,
};

const TEXTS = [
  ['sender', 'IP address of the sender'],
  ['key', 'Delivery key'],
  ['request', 'Request id'],
] as const;

/** Requests on record of a workflow, the latest first. */
const Requests = (): ReactNode => {
  const [filters, setFilters] = useAddressStates(FILTERS);
  const { follow, ...filter } = filters;
  const { workflowId, verdict, key, sender, request } = filter;
  const pages = useCursorPages();
  const change = (changes: Readonly<Record<string, string>>) => setFilters({ ...changes, cursor: '' });
  const isOn = workflowId !== '';

  const asked = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the period begins when the filters change, not with each look
  const query = useMemo(() => {
    const texts = { key: key.trim(), sender: sender.trim(), request: request.trim() };
    return { workflowId, verdict, ...texts, ...periodBounds(filter, Date.now()), cursor: pages.cursor };
  }, [asked, pages.cursor]);
  const page = useApi('GET /api/admin/requests', { query: { ...query, limit: PAGE_SIZE } }, { isOn });
  const latest = useApi(
    'GET /api/admin/requests',
    { query: { ...query, limit: LATEST_SIZE } },
    { isOn: isOn && pages.cursor === '', everyMs: LIST_EVERY_MS },
  );
  const list = useLiveList({
    key: JSON.stringify(query),
    page,
    latest,
    toPage: ({ requests, nextCursor }) => ({ rows: requests, nextCursor }),
    kind: KIND,
    isFollowing: follow !== '',
  });
  const added = follow === '' && pages.cursor === '' ? (list?.added.length ?? 0) : 0;

  return (
    <Page
      title="Requests"
      description="Refused ones are always on record, others if their trigger has recordRequests."
      actions={
        <SpaceBetween direction="horizontal" size="s" alignItems="center">
          <NewRows count={added} onShow={() => list?.showAdded()} />
          <Toggle
            checked={follow !== ''}
            onChange={({ detail }) => change({ follow: detail.checked ? 'yes' : '' })}
          >
            Show new ones as they come
          </Toggle>
        </SpaceBetween>
      }
    >
      <FilterBar
        values={[workflowId, verdict, key, sender, request, `${filter.last}${filter.from}${filter.to}`]}
        isOpen={!isOn}
      >
        <WorkflowField
          value={workflowId}
          placeholder="Choose a workflow"
          onChange={(value) => change({ workflowId: value })}
        />
        <ChoicesField
          label="Verdict"
          options={VERDICT_OPTIONS}
          value={verdict}
          placeholder="Any verdict"
          onChange={(value) => change({ verdict: value })}
        />
        <PeriodField label="Received" value={filter} onChange={(value) => change({ ...value })} />
        {TEXTS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            type="search"
            value={filters[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </FilterBar>
      {isOn ? (
        <Loaded query={page}>
          {() => (
            <RequestTable
              requests={list?.rows ?? []}
              empty={
                <SpaceBetween size="xs">
                  {list?.nextCursor == null ? (
                    <Box variant="p">
                      No request on record matches. Send one to an address of the workflow; that it appears
                      here, the trigger needs recordRequests, unless the request is refused.
                    </Box>
                  ) : (
                    <Button onClick={() => pages.toNext(list.nextCursor ?? '')}>Search older ones</Button>
                  )}
                </SpaceBetween>
              }
            />
          )}
        </Loaded>
      ) : (
        <Box textAlign="center" padding="xl" variant="p">
          Choose the workflow whose requests you look for.
        </Box>
      )}
      <NewRowsNotice count={added} isBehind={false} />
      <Box float="right">
        <CursorButtons
          pages={pages}
          next={list?.nextCursor ?? null}
          nextChanges={{ last: '', from: query.from, to: query.to }}
        />
      </Box>
    </Page>
  );
};

export default Requests;
