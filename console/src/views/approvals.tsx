import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import Toggle from '@cloudscape-design/components/toggle';
import type { ReactNode } from 'react';
import type { Answer } from '../api/routes.ts';
import { useApi } from '../api/use-api.ts';
import { useAddressStates } from '../parts/address-state.ts';
import { AppLink } from '../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../parts/cursor-pages.tsx';
import { formatDuration } from '../parts/duration.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Time } from '../parts/time.tsx';
import { LIST_EVERY_MS } from '../parts/use-live-list.ts';
import { WorkflowField } from '../parts/workflow-field.tsx';

type Approval = Answer<'GET /api/admin/approvals/addresses'>['approvals'][number];

/** The page of an approval, on which it is decided. Its address is all that one needs to decide. */
const Decision = ({ address, title, nodeId }: Approval): ReactNode =>
  address === undefined ? (
    'It has no address'
  ) : (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      <Link
        href={address}
        external={true}
        rel="noopener noreferrer"
        ariaLabel={`Decide on ${title ?? nodeId}`}
      >
        Decide
      </Link>
      <CopyToClipboard
        variant="icon"
        copyButtonAriaLabel={`Copy the address for ${title ?? nodeId}`}
        textToCopy={address}
        copySuccessText="Copied. Whoever has the address can decide."
        copyErrorText="The browser did not allow to copy."
      />
    </SpaceBetween>
  );

/** Approvals that wait for a decision, the next to expire first. */
const Approvals = (): ReactNode => {
  const [{ workflowId, decide }, change] = useAddressStates(['workflowId', 'decide']);
  const pages = useCursorPages();
  const asked = { query: { workflowId, limit: 25, cursor: pages.cursor } };
  const hasAddresses = decide !== '';
  const plain = useApi('GET /api/admin/approvals', asked, { everyMs: LIST_EVERY_MS, isOn: !hasAddresses });
  const addressed = useApi('GET /api/admin/approvals/addresses', asked, {
    everyMs: LIST_EVERY_MS,
    isOn: hasAddresses,
  });
  return (
    <SpaceBetween size="l">
      <Header variant="h1" description="What waits for a person, the next to expire first.">
        Approvals
      </Header>
      <FilterBar>
        <WorkflowField value={workflowId} onChange={(value) => change({ workflowId: value, cursor: '' })} />
      </FilterBar>
      <Toggle
        checked={hasAddresses}
        description="An approval is decided on its own page, which shows the whole question and its fields. Whoever has the address of that page can decide: treat it as a secret."
        onChange={({ detail }) => change({ decide: detail.checked ? 'yes' : '' })}
      >
        Decide: show the addresses
      </Toggle>
      <Loaded query={hasAddresses ? addressed : plain}>
        {({ approvals, nextCursor, omitsEarlier, timestamp }) => (
          <>
            {omitsEarlier === true && (
              <Alert type="info">
                Approvals from before an update are only in the lists of their workflows, until `hookloom
                migrate` adds them.
              </Alert>
            )}
            <Table<Approval>
              items={approvals}
              trackBy={({ executionId, nodeId, since }) => `${executionId} ${nodeId} ${since}`}
              enableKeyboardNavigation={true}
              ariaLabels={{ tableLabel: 'Approvals' }}
              renderAriaLive={({ visibleItemsCount }) => `${visibleItemsCount ?? 0} approvals on this page`}
              empty={
                <Box textAlign="center">
                  Nothing waits for a decision. An approval appears here when an execution reaches an approval
                  node.
                </Box>
              }
              columnDefinitions={[
                {
                  id: 'title',
                  header: 'Question',
                  isRowHeader: true,
                  maxWidth: 360,
                  cell: ({ title, nodeId }) => title ?? `Approval of ${nodeId}`,
                },
                ...(hasAddresses
                  ? [{ id: 'decision', header: 'Decision', minWidth: 170, cell: Decision }]
                  : []),
                { id: 'askedBy', header: 'Asked by', maxWidth: 200, cell: ({ askedBy }) => askedBy ?? '–' },
                { id: 'since', header: 'Since', minWidth: 190, cell: ({ since }) => <Time at={since} /> },
                {
                  id: 'until',
                  header: 'Until',
                  minWidth: 190,
                  cell: ({ until }) => (
                    <>
                      <Time at={until} />
                      <Box variant="small" display="block">
                        {leftUntil(until, timestamp)}
                      </Box>
                    </>
                  ),
                },
                {
                  id: 'workflow',
                  header: 'Workflow',
                  maxWidth: 200,
                  cell: (each) => (
                    <AppLink to={`/workflows/${encodeURIComponent(each.workflowId)}`}>
                      {each.workflowId}
                    </AppLink>
                  ),
                },
                { id: 'node', header: 'Node', maxWidth: 160, cell: ({ nodeId }) => nodeId },
                {
                  id: 'execution',
                  header: 'Execution',
                  maxWidth: 220,
                  cell: ({ executionId }) => (
                    <AppLink to={`/executions/${encodeURIComponent(executionId)}`}>{executionId}</AppLink>
                  ),
                },
              ]}
            />
            <Box float="right">
              <CursorButtons pages={pages} next={nextCursor} labels={['Earlier', 'Later']} />
            </Box>
          </>
        )}
      </Loaded>
    </SpaceBetween>
  );
};

/** How much time is left, by the clock of the service. */
const leftUntil = (until: string, now: string): string => {
  const ms = Date.parse(until) - Date.parse(now);
  return ms <= 0 ? 'The time is up' : `${formatDuration(ms)} left`;
};

export default Approvals;
