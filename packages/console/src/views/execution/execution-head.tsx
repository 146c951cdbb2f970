import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import LiveRegion from '@cloudscape-design/components/live-region';
import type { ReactNode } from 'react';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Cost } from '../../parts/cost.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus, nameStatus } from '../../parts/execution-status.tsx';
import { Facts } from '../../parts/facts.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { Time } from '../../parts/time.tsx';
import { Changes } from './changes.tsx';
import { type Execution, isFinal, isOpen, runKey } from './node-runs.ts';

interface ExecutionHeadProps {
  readonly execution: Execution;
  readonly now: number;
}

/** What an execution is, how it stands, and what it has to do with others. */
export const ExecutionHead = ({ execution, now }: ExecutionHeadProps): ReactNode => {
  const { executionId, workflowId, workflowVersion, startedAt, endedAt, durationMs, mode } = execution;
  const { status, held, trigger, requestId, invocations, crashes, retryOf, retriedBy, failedItems } =
    execution;
  const took = durationMs ?? Math.max(0, now - Date.parse(startedAt));
  return (
    <Container>
      <Facts
        columns={4}
        minColumnWidth={140}
        ariaLabel="About this execution"
        facts={{
          Status: <ExecutionStatus status={status} held={held} />,
          Workflow: (
            <>
              <IdLink of="workflows" id={workflowId} />, version {workflowVersion}
            </>
          ),
          Trigger: `${trigger.nodeId} (${trigger.type})${trigger.byHand === true ? ', by hand' : ''}`,
          Started: <Time at={startedAt} />,
          [endedAt === null ? 'Open for' : 'Took']: formatDuration(took),
          Ended: endedAt !== null && <Time at={endedAt} />,
          'Failed items': failedItems > 0 && failedItems.toLocaleString(),
          Runs: MODES[mode],
          Cost: endedAt !== null && <Cost cost={execution.cost} />,
          'Execution id': <Copied name="execution id" text={executionId} />,
          'Request id': requestId !== null && <Copied name="request id" text={requestId} />,
          Processes: invocations > 1 && describeProcesses(invocations, crashes),
          Retries: retryOf !== null && <Retried retryOf={retryOf} />,
          'Retried by': retriedBy !== null && <ExecutionLink id={retriedBy} />,
        }}
      />
      <LiveRegion hidden>{announce(execution)}</LiveRegion>
    </Container>
  );
};

/** How it stands and why it failed, for screen readers. The page of a retry has the heading of the page before. */
const announce = ({ retryOf, status, held, failure }: Execution): string => {
  const what = retryOf === null ? 'the execution' : 'this retry';
  const reason =
    failure === null ? '' : `. ${describeEnd(status, failure)}. ${failure.message.slice(0, MAX_SAID)}`;
  return `Status of ${what}: ${nameStatus(held ?? status)}${reason}`;
};

/** A longer message is cut. In UTF-16 units. */
const MAX_SAID = 500;

const MODES: Readonly<Record<Execution['mode'], string>> = {
  inline: 'While the caller waits (inline)',
  durable: 'In the background (durable)',
  express: 'In the background (express)',
};

const describeProcesses = (invocations: number, crashes: number): string =>
  `${invocations}${crashes === 0 ? '' : `, the last ${crashes} crashed`}`;

const Copied = ({ name, text }: { readonly name: string; readonly text: string }): ReactNode => (
  <div className="execution-long">
    <CopyToClipboard
      variant="inline"
      textToCopy={text}
      copyButtonAriaLabel={`Copy the ${name}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying."
    />
  </div>
);

const ExecutionLink = ({ id }: { readonly id: string }): ReactNode => (
  <IdLink of="executions" id={id}>
    {id.length > 16 ? `${id.slice(0, 15)}…` : id}
  </IdLink>
);

const Retried = ({ retryOf }: { readonly retryOf: NonNullable<Execution['retryOf']> }): ReactNode => (
  <>
    <ExecutionLink id={retryOf.executionId} />
    {describeExtent(retryOf)}
    {retryOf.bulkRetryId !== undefined && (
      <>
        {', in the '}
        <IdLink of="bulk-retries" id={retryOf.bulkRetryId}>
          bulk retry
        </IdLink>
      </>
    )}
  </>
);

const describeExtent = ({ only, fromNodeId }: NonNullable<Execution['retryOf']>): string => {
  if (only !== undefined) return ', only its failed items';
  return fromNodeId === null ? ' from the start' : ` from ${fromNodeId}`;
};

/** Approvals at once that are shown; the others are in the timeline. */
const MAX_ASKING = 3;

interface FailedNode {
  /** Shows the node that failed; null if the record does not have it. */
  readonly onShowFailure: (() => void) | null;
  /** Of that node; null if it has none. */
  readonly credentialId: string | null;
}

/**
 * What an operator has to know first, one below the other: why it failed, for whom it waits, why it does not start, what was edited.
 */
export const toNotices = (execution: Execution, { onShowFailure, credentialId }: FailedNode): ReactNode => {
  const { failure, held, editedInput, nodesOmitted, reasonsOmitted, eventPending, status, nodes } = execution;
  const hasEnded = isFinal(execution);
  const asking = nodes.filter((run) => !hasEnded && isOpen(run) && run.why?.title !== undefined);
  return (
    <>
      {failure !== null && (
        <Alert
          type={status === 'cancelled' ? 'info' : 'error'}
          header={<h2 className="execution-reason">{describeEnd(status, failure)}</h2>}
          action={onShowFailure !== null && <Button onClick={onShowFailure}>Show the node</Button>}
        >
          <div className="execution-long">{failure.message}</div>
          {credentialId !== null && (
            <div className="execution-long">
              Its credential: <IdLink of="credentials" id={credentialId} />
              {asksForSignIn(failure.message) && (
                <>
                  {' – '}
                  <SignInLink credentialId={credentialId} />
                </>
              )}
            </div>
          )}
        </Alert>
      )}
      {asking.slice(0, MAX_ASKING).map((run) => (
        <Alert
          key={runKey(run)}
          type="info"
          header={<span className="any-length">It waits for a decision at {run.nodeId}</span>}
        >
          <div className="any-length few-lines">{run.why?.title}</div>
          <AppLink to={`/approvals?workflowId=${encodeURIComponent(execution.workflowId)}`}>
            Go to its approvals
          </AppLink>
        </Alert>
      ))}
      {held !== undefined && !hasEnded && (
        <Alert type="info" header="It is held">
          {held === 'paused'
            ? 'Its trigger is paused, and stores what comes in. It starts when the workflow no longer has "paused", or is no longer at its "maxCostPerMonth".'
            : 'It waits until fewer executions of its trigger run at once.'}
        </Alert>
      )}
      {editedInput !== null && (
        <Alert type="info" header="Its input was edited">
          <Box variant="p">{editedInput.by === null ? 'By an operator.' : `By ${editedInput.by}.`}</Box>
          <Changes changes={editedInput.changes} omitted={editedInput.changesOmitted ?? 0} />
        </Alert>
      )}
      {eventPending === true && (
        <Alert type="info">Its completion event is not published yet. The sweeper publishes it.</Alert>
      )}
      {nodesOmitted > 0 && (
        <Alert type="warning">
          The record leaves out {nodesOmitted.toLocaleString()} node runs, since it would be too large.
        </Alert>
      )}
      {reasonsOmitted > 0 && (
        <Alert type="info">
          The answer leaves out {reasonsOmitted.toLocaleString()} reasons, since it would be too large.
        </Alert>
      )}
    </>
  );
};

const describeEnd = (
  status: Execution['status'],
  { nodeId, name }: NonNullable<Execution['failure']>,
): string => {
  const at = nodeId === '' ? '' : ` at ${nodeId}`;
  if (status === 'cancelled') return `It was cancelled${at}`;
  return status === 'timedOut' ? `It timed out${at}` : `It failed${at}: ${name}`;
};
