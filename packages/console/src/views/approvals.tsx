import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Call } from '../api/api.ts';
import type { Answer } from '../api/routes.ts';
import { useApi } from '../api/use-api.ts';
import { useAddressStates } from '../parts/address-state.ts';
import { IdLink } from '../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../parts/cursor-pages.tsx';
import { formatDuration } from '../parts/duration.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { readOnly } from '../parts/page-settings.ts';
import { type Columns, Rows } from '../parts/rows.tsx';
import { Time } from '../parts/time.tsx';
import { LIST_EVERY_MS } from '../parts/use-live-list.ts';
import { WorkflowField } from '../parts/workflow-field.tsx';

type Approval = Answer<'GET /api/admin/approvals'>['approvals'][number];

const approvalTitle = ({ title, nodeId }: Approval): string => title ?? `Approval of ${nodeId}`;

const approvalKey = ({ executionId, nodeId, since }: Approval): string => `${executionId} ${nodeId} ${since}`;

interface DecideDialogProps {
  readonly approval: Approval;
  /** Of the page of the list that has the approval. */
  readonly query: NonNullable<Call['query']>;
  readonly onClose: () => void;
}

/** Asks for the address of one approval, and leads to its page. The address is all that one needs to decide. */
const DecideDialog = ({ approval, query, onClose }: DecideDialogProps): ReactNode => {
  const { executionId } = approval;
  const found = useApi('POST /api/admin/approvals/addresses', { query: { ...query, executionId } });
  return (
    <Modal
      visible={true}
      header={<span className="any-length few-lines">{approvalTitle(approval)}</span>}
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <Button variant="link" onClick={onClose}>
            Close
          </Button>
        </Box>
      }
    >
      <Loaded query={found}>
        {({ approvals }) => {
          const address = approvals.find((each) => approvalKey(each) === approvalKey(approval))?.address;
          if (address === undefined) return 'It no longer waits: it was decided, or its time is up.';
          return (
            <SpaceBetween size="m">
              <Box>
                It is decided on its own page, which shows the whole question and its fields. Whoever has the
                address of that page can decide: treat it as a secret.
              </Box>
              <SpaceBetween direction="horizontal" size="xs" alignItems="center">
                <Button
                  variant="primary"
                  href={address}
                  target="_blank"
                  rel="noopener noreferrer"
                  iconName="external"
                  iconAlign="right"
                  ariaLabel="Open its page, in a new tab"
                  onClick={onClose}
                >
                  Open its page
                </Button>
                <CopyToClipboard
                  copyButtonText="Copy the address"
                  textToCopy={address}
                  copySuccessText="Copied. Whoever has the address can decide."
                  copyErrorText="The browser did not allow copying."
                />
              </SpaceBetween>
            </SpaceBetween>
          );
        }}
      </Loaded>
    </Modal>
  );
};

const Question = (approval: Approval): ReactNode => (
  <>
    <span className="any-length few-lines" title={approvalTitle(approval)}>
      {approvalTitle(approval)}
    </span>
    <Box variant="small" display="block">
      {approval.askedBy !== null && `asked by ${approval.askedBy} `}
      <Time at={approval.since} />
    </Box>
  </>
);

const Where = ({ workflowId, nodeId, executionId }: Approval): ReactNode => (
  <div className="any-length">
    <IdLink of="workflows" id={workflowId} />, node {nodeId}
    <Box variant="small" display="block">
      <IdLink of="executions" id={executionId} fontSize="body-s" />
    </Box>
  </div>
);

/** @param now - the time of the list, in ISO 8601 */
const toColumns = (
  now: string,
  onDecide: (approval: Approval) => void,
): { readonly columns: Columns<Approval>; readonly stack: Columns<Approval> } => {
  const decision = {
    header: 'Decision',
    width: 120,
    cell: (approval: Approval) => (
      <Button
        {...readOnly}
        variant="inline-link"
        ariaLabel={`Decide: ${approvalTitle(approval)}`}
        onClick={() => onDecide(approval)}
      >
        Decide
      </Button>
    ),
  };
  const until = ({ until: at }: Approval) => (
    <>
      <Time at={at} />
      <Box variant="small" display="block">
        {leftUntil(at, now)}
      </Box>
    </>
  );
  return {
    columns: [
      { header: 'Question', isRowHeader: true, cell: Question },
      decision,
      { header: 'Until', minWidth: 190, cell: until },
      { header: 'Workflow', minWidth: 200, cell: Where },
    ],
    stack: [
      {
        header: 'Question',
        isRowHeader: true,
        cell: (approval) => (
          <>
            <Question {...approval} />
            <div>Until {until(approval)}</div>
            <Where {...approval} />
          </>
        ),
      },
      decision,
    ],
  };
};

/** Approvals that wait for a decision, the next to expire first. */
const Approvals = (): ReactNode => {
  const [{ workflowId }, change] = useAddressStates(['workflowId']);
  const [chosen, setChosen] = useState<Approval | null>(null);
  const pages = useCursorPages();
  const query = { workflowId, limit: 25, cursor: pages.cursor };
  const list = useApi('GET /api/admin/approvals', { query }, { everyMs: LIST_EVERY_MS });
  return (
    <Page title="Approvals" description="What waits for a person, the next to expire first.">
      <FilterBar>
        <WorkflowField value={workflowId} onChange={(value) => change({ workflowId: value, cursor: '' })} />
      </FilterBar>
      <Loaded query={list}>
        {({ approvals, nextCursor, omitsEarlier, timestamp }) => (
          <>
            {omitsEarlier === true && (
              <Alert type="info">
                Approvals from before an update are only in the lists of their workflows, until{' '}
                <code>hookloom migrate</code> adds them.
              </Alert>
            )}
            <Rows
              label="Approvals"
              items={approvals}
              trackBy={approvalKey}
              enableKeyboardNavigation
              counted="page"
              empty="Nothing waits for a decision. An approval appears here when an execution reaches an approval node."
              {...toColumns(timestamp, setChosen)}
            />
            <Box float="right">
              <CursorButtons pages={pages} next={nextCursor} labels={['Earlier', 'Later']} />
            </Box>
          </>
        )}
      </Loaded>
      {chosen !== null && <DecideDialog approval={chosen} query={query} onClose={() => setChosen(null)} />}
    </Page>
  );
};

/** How much time is left, by the clock of the service. */
const leftUntil = (until: string, now: string): string => {
  const ms = Date.parse(until) - Date.parse(now);
  return ms <= 0 ? 'The time is up' : `${formatDuration(ms)} left`;
};

export default Approvals;
