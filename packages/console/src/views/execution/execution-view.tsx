import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { Problem } from '../../api/api.ts';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { WorkflowGraph } from '../../parts/graph/workflow-graph.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { settings } from '../../parts/page-settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { Beside, isPanelBelow, usePanelFocus } from '../../parts/side-panel.tsx';
import { findCriticalPath } from './critical-path.ts';
import { CancelDialog, ExecutionActions } from './execution-actions.tsx';
import { ExecutionHead, toNotices } from './execution-head.tsx';
import { ownRuns, toMarks } from './graph-marks.ts';
import { NodePanel } from './node-panel.tsx';
import {
  type Execution,
  findRun,
  isFinal,
  mostUrgent,
  type NodeRun,
  pathTo,
  rootOf,
  runKey,
} from './node-runs.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { Timeline } from './timeline.tsx';
import { createTimeline } from './timeline-rows.ts';
import { useVersion } from './use-definition.ts';
import './execution.css';
import { Outcome } from '../../parts/outcome.tsx';

const LIVE_MS = 1_000;

/** One execution: what it did, node by node, and why; live while it is open. */
const ExecutionView = (): ReactNode => {
  const { executionId = '' } = useParams();
  const [isDone, setDone] = useState(false);
  const execution = useApi(
    'GET /api/admin/executions/{executionId}',
    { params: { executionId } },
    { everyMs: isDone ? false : LIVE_MS },
  );
  const { data: read, error } = execution;
  const isMissing = error instanceof Problem && error.status === 404;
  const hasEnded = isMissing || (read !== undefined && isFinal(read));
  useEffect(() => setDone(hasEnded), [hasEnded]);
  return (
    <Loaded query={execution} heading={`Execution ${executionId}`}>
      {(data) => <Shown execution={data} at={execution.dataUpdatedAt} />}
    </Loaded>
  );
};

interface ShownProps {
  readonly execution: Execution;
  /** When the execution was read, in milliseconds since the epoch. */
  readonly at: number;
}

const Shown = ({ execution, at }: ShownProps): ReactNode => {
  const { workflowId, workflowVersion, nodes, startedAt, endedAt, failure, trigger } = execution;
  const definition = useVersion(workflowId, workflowVersion)?.definition ?? null;
  const [done, setDone] = useState<string | null>(null);
  const [address, change] = useAddressStates(ADDRESS);
  const focus = usePanelFocus();
  const edges = definition?.connections ?? NO_EDGES;

  const selected = findRun(nodes, address);
  const { dialog, open: openKeys } = address;
  const unfolded = useMemo(() => new Set(openKeys === '' ? [] : openKeys.split(',')), [openKeys]);

  const select = ({ nodeId, within = '', iteration }: NodeRun): void =>
    change({
      node: nodeId,
      within,
      iteration: String(iteration),
      open: [...new Set([...unfolded, ...pathTo(within)])].join(','),
    });
  const open = (run: NodeRun, isByKey: boolean): void => {
    select(run);
    if (isByKey || isPanelBelow()) focus.enter();
  };
  const own = useMemo(() => ownRuns(nodes), [nodes]);
  const marks = useMemo(() => toMarks(definition?.nodes ?? [], nodes, at), [definition, nodes, at]);
  const selectNode = (nodeId: string, isByKey: boolean): void => {
    const run = mostUrgent(own.filter((one) => one.nodeId === nodeId));
    if (run === null) change({ node: nodeId, within: '', iteration: '' });
    else open(run, isByKey);
  };
  const fold = (key: string, isUnfolded: boolean): void => {
    const keys = [...unfolded].filter((one) => one !== key);
    change({ open: (isUnfolded ? [...keys, key] : keys).join(',') });
  };

  const criticalPath = useMemo(
    () => (endedAt === null ? NO_KEYS : findCriticalPath(nodes, edges)),
    [nodes, edges, endedAt],
  );
  const timeline = useMemo(
    () =>
      createTimeline({
        startedAt: Date.parse(startedAt),
        endedAt: endedAt === null ? null : Date.parse(endedAt),
        runs: nodes,
        edges,
        unfolded,
        now: at,
      }),
    [startedAt, endedAt, nodes, edges, unfolded, at],
  );
  const credentialOf = (nodeId: string): string | null =>
    definition?.nodes.find(({ id }) => id === nodeId)?.credentialId ?? null;
  const failed =
    failure === null ? null : findRun(nodes, { node: failure.nodeId, within: '', iteration: '' });

  return (
    <Page
      title={`Execution of ${workflowId}`}
      actions={
        <ExecutionActions
          execution={execution}
          onRetry={() => change({ dialog: 'retry', from: '' })}
          onCancel={() => change({ dialog: 'cancel' })}
        />
      }
    >
      {done !== null && (
        <Outcome dismissible onDismiss={() => setDone(null)}>
          {done}
        </Outcome>
      )}
      <ExecutionHead execution={execution} now={at} />
      {toNotices(execution, {
        onShowFailure: failed === null ? null : () => open(failed, true),
        credentialId: failure === null ? null : credentialOf(failure.nodeId),
      })}
      <Beside
        label={`Node ${selected?.nodeId ?? ''}`}
        focus={focus}
        panel={
          selected === null ? null : (
            <NodePanel
              run={selected}
              workflowId={workflowId}
              credentialId={credentialOf(selected.nodeId)}
              siblings={(own.includes(selected) ? own : nodes.filter((one) => !own.includes(one))).filter(
                ({ nodeId }) => nodeId === selected.nodeId,
              )}
              isCritical={criticalPath.has(runKey(selected))}
              now={at}
              onSelect={select}
              onRetry={
                isFinal(execution) && !settings.isReadOnly && rootOf(selected) !== trigger.nodeId
                  ? () => change({ dialog: 'retry', from: rootOf(selected) })
                  : null
              }
              onClose={() => {
                change({ node: '', within: '', iteration: '' });
                focus.leave(selected.nodeId);
              }}
            />
          )
        }
      >
        <SpaceBetween size="l">
          {definition !== null && (
            <Panel title="Graph">
              <WorkflowGraph
                definition={definition}
                marks={marks}
                selected={selected !== null && own.includes(selected) ? selected.nodeId : null}
                onSelect={selectNode}
                height={340}
              />
            </Panel>
          )}
          <Panel title="Timeline">
            {nodes.length === 0 ? (
              <Box color="text-body-secondary">{describeNoNodes(execution)}</Box>
            ) : (
              <Timeline
                timeline={timeline}
                criticalPath={criticalPath}
                selected={selected === null ? null : runKey(selected)}
                onSelect={open}
                onFold={fold}
              />
            )}
          </Panel>
        </SpaceBetween>
      </Beside>
      {dialog === 'retry' && isFinal(execution) && !settings.isReadOnly && (
        <RetryDialog
          execution={execution}
          from={address.from}
          onFrom={(from) => change({ from })}
          onClose={() => change({ dialog: '', from: '' })}
        />
      )}
      {/* It stays until its answer is there: what it asks for may be read as done before. */}
      {dialog === 'cancel' && !settings.isReadOnly && (
        <CancelDialog
          executionId={execution.executionId}
          onClose={(message) => {
            change({ dialog: '' });
            setDone(message);
          }}
        />
      )}
    </Page>
  );
};

const ADDRESS = ['node', 'within', 'iteration', 'open', 'dialog', 'from'] as const;
const NO_EDGES: readonly never[] = [];
const NO_KEYS: ReadonlySet<string> = new Set();

const describeNoNodes = (execution: Execution): string => {
  if (isFinal(execution)) return 'The record has no node runs.';
  return execution.status === 'accepted'
    ? 'It has not started yet.'
    : 'No node is recorded yet: a run updates its record once a second.';
};

export default ExecutionView;
