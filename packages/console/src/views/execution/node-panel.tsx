import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { IdLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { type Segment, toSegments } from './attempt-segments.ts';
import { hasRun, isOpen, type NodeRun, runKey } from './node-runs.ts';
import { Reason } from './reason.tsx';

interface NodePanelProps {
  readonly run: NodeRun;
  readonly workflowId: string;
  /** Null if the node has none. */
  readonly credentialId: string | null;
  /** All runs of this node, in order. */
  readonly siblings: readonly NodeRun[];
  readonly isCritical: boolean;
  readonly now: number;
  readonly onSelect: (run: NodeRun) => void;
  /** Retries the execution from this node; null if that is not possible. */
  readonly onRetry: (() => void) | null;
  readonly onClose: () => void;
}

/** Everything that the record has of one node run. */
export const NodePanel = ({
  run,
  workflowId,
  credentialId,
  siblings,
  isCritical,
  now,
  onSelect,
  onRetry,
  onClose,
}: NodePanelProps): ReactNode => {
  const { nodeId, type, within, iteration, attempts, startedAt, durationMs, status, failure } = run;
  const { failedItems, usage, why } = run;
  const took = isOpen(run) ? Math.max(0, now - Date.parse(startedAt)) : durationMs;
  const at = siblings.findIndex((one) => runKey(one) === runKey(run));
  return (
    <Panel
      title={<span className="execution-long">{nodeId}</span>}
      description={<IdLink of="node-types" id={type} />}
      actions={
        <SpaceBetween size="xs" direction="horizontal">
          {onRetry !== null && <Button onClick={onRetry}>Retry from here</Button>}
          <Button
            iconName="angle-left"
            variant="icon"
            ariaLabel="The run of this node before"
            disabled={at <= 0}
            disabledReason="There is none before."
            onClick={() => selectRun(siblings[at - 1], onSelect)}
          />
          <Button
            iconName="angle-right"
            variant="icon"
            ariaLabel="The next run of this node"
            disabled={at < 0 || at >= siblings.length - 1}
            disabledReason="This is the last one."
            onClick={() => selectRun(siblings[at + 1], onSelect)}
          />
          <Button iconName="close" variant="icon" ariaLabel="Close the node" onClick={onClose} />
        </SpaceBetween>
      }
    >
      <SpaceBetween size="m">
        <Facts
          columns={3}
          minColumnWidth={130}
          ariaLabel="About this node run"
          facts={{
            Status: <ExecutionStatus status={status} />,
            Started: hasRun(run) && <Time at={startedAt} />,
            [isOpen(run) ? 'Open for' : 'Took']: hasRun(run) && formatDuration(took),
            Attempts: hasRun(run) && attempts,
            Run: siblings.length > 1 && `${at + 1} of ${siblings.length}`,
            Iteration: iteration > 0 && iteration,
            Within: within !== undefined && <span className="execution-long">{within}</span>,
            'Failed items': failedItems !== undefined && listIndexes(failedItems),
            Credential: credentialId !== null && <IdLink of="credentials" id={credentialId} />,
            'Critical path': isCritical && 'On it',
            ...Object.fromEntries(
              Object.entries(usage ?? {}).map(([name, value]) => [`Usage: ${name}`, value.toLocaleString()]),
            ),
          }}
        />
        <Attempts run={run} now={now} />
        {why !== undefined && <Reason reason={why} workflowId={workflowId} isOpen={isOpen(run)} />}
        {status === 'passedThrough' && (
          <Alert type="info">The node is disabled: it passed its input on, and did nothing.</Alert>
        )}
        {failure !== undefined && (
          <Alert type="error" header={failure.name}>
            <div className="execution-long">{failure.message}</div>
            {failure.details !== undefined && !isEmpty(failure.details) && (
              <ExpandableSection headerText="Details" defaultExpanded>
                <JsonView value={failure.details} label={`Details of the failure of ${nodeId}`} />
              </ExpandableSection>
            )}
          </Alert>
        )}
        <Data run={run} />
      </SpaceBetween>
    </Panel>
  );
};

/** The positions of failed items, such as `[3], [17] and 40 more`. */
const listIndexes = ({ count, indexes }: NonNullable<NodeRun['failedItems']>): string =>
  `${indexes.map((index) => `[${index}]`).join(', ')}${count > indexes.length ? ` and ${count - indexes.length} more` : ''}`;

/** When each of several attempts ran, and how long the node waited for it. */
const Attempts = ({ run, now }: { readonly run: NodeRun; readonly now: number }): ReactNode => {
  const from = Date.parse(run.startedAt);
  const to = isOpen(run) ? Math.max(now, from) : from + run.durationMs;
  const segments = toSegments(run, { from, to });
  if (segments.length === 0) return null;
  return (
    <ExpandableSection headerText="Attempts" defaultExpanded variant="footer">
      <ul className="execution-attempts" aria-label={`Attempts of ${run.nodeId}`}>
        {segments.map((segment) => (
          <li key={`${segment.kind} ${segment.from}`}>{describeSegment(segment)}</li>
        ))}
      </ul>
    </ExpandableSection>
  );
};

const describeSegment = ({ kind, attempt, from, to, hasFailed }: Segment): ReactNode => {
  const took = formatDuration(to - from);
  if (kind === 'wait') return `Waited ${took}`;
  if (kind === 'unknown') return `${took} that are not recorded`;
  return (
    <>
      Attempt {attempt}
      {hasFailed ? ', failed' : ''}: {took}, from <Time at={new Date(from).toISOString()} />
    </>
  );
};

const selectRun = (run: NodeRun | undefined, onSelect: (run: NodeRun) => void): void => {
  if (run !== undefined) onSelect(run);
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const Data = ({ run }: { readonly run: NodeRun }): ReactNode => {
  const { nodeId, input, outputs } = run;
  if (!hasRun(run)) return null;
  if (input === undefined && outputs === undefined)
    return (
      <Box color="text-body-secondary">
        {isOpen(run)
          ? 'Its data is recorded when it ends.'
          : 'The record has no data of this run. The setting "recordData" of a workflow says for which executions it is kept.'}
      </Box>
    );
  const data: readonly (readonly [string, string, unknown])[] = [
    ...(input === undefined ? [] : [['Input', 'Input', input] as const]),
    ...Object.entries((outputs ?? {}) as Readonly<Record<string, unknown>>).map(
      ([name, value]) => [name === 'main' ? 'Output' : `Output "${name}"`, `Output ${name}`, value] as const,
    ),
  ];
  return (
    <SpaceBetween size="s">
      {data.map(([name, label, value]) => (
        <ExpandableSection key={label} headerText={name} defaultExpanded variant="footer">
          <JsonView value={value} label={`${label} of ${nodeId}`} />
        </ExpandableSection>
      ))}
    </SpaceBetween>
  );
};
