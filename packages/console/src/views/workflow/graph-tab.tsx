import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Cost } from '../../parts/cost.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { Facts } from '../../parts/facts.tsx';
import { WorkflowGraph } from '../../parts/graph/workflow-graph.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Beside, isPanelBelow, usePanelFocus } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { type Definition, type DefinitionNode, findNode } from './definition.ts';

type NodeCounts = NonNullable<Answer<'GET /api/admin/statistics'>['total']['nodes']>[string];

interface GraphTabProps {
  readonly workflowId: string;
  readonly definition: Definition;
}

const summariseRuns = ({ failed, durationMs: { p50, p95 } }: NodeCounts): string =>
  `${formatDuration(p50)} / ${formatDuration(p95)}${failed === 0 ? '' : `, ${failed} failed`}`;

/** The graph with how long each node took, and the node that is selected. */
export const GraphTab = ({ workflowId, definition }: GraphTabProps): ReactNode => {
  const [nodeId, setNodeId] = useAddressState('node');
  const query = useApi('GET /api/admin/statistics', { query: { workflowId } }, { everyMs: 30_000 });
  const counts = query.data?.total.nodes;
  const marks = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(counts ?? {}).map(([id, each]) => [id, { text: summariseRuns(each) }]),
      ),
    [counts],
  );
  const node = findNode(definition, nodeId);
  const focus = usePanelFocus();
  return (
    <SpaceBetween size="s">
      {query.error !== null && <ProblemAlert error={query.error} onRetry={query.refetch} />}
      {query.data !== undefined && (
        <Box color="text-body-secondary">
          Of each node: its median and 95th percentile, from <Time at={query.data.from} /> to{' '}
          <Time at={query.data.timestamp} />. Select a node to see its parameters.
        </Box>
      )}
      {query.data !== undefined && (
        <Box>
          Its executions of this time cost:{' '}
          <Cost cost={query.data.total.cost && { ...query.data.total.cost, prices: query.data.prices }} />
        </Box>
      )}
      <Beside
        label={`Node ${nodeId}`}
        focus={focus}
        panel={
          node === null ? null : (
            <NodePanel
              node={node}
              definition={definition}
              counts={counts?.[node.id] ?? null}
              onClose={() => {
                setNodeId('');
                focus.leave(node.id);
              }}
            />
          )
        }
      >
        <WorkflowGraph
          definition={definition}
          marks={marks}
          selected={nodeId === '' ? null : nodeId}
          onSelect={(id, isByKey) => {
            setNodeId(id);
            if (isByKey || isPanelBelow()) focus.enter();
          }}
          height={480}
        />
      </Beside>
    </SpaceBetween>
  );
};

interface NodePanelProps {
  readonly node: DefinitionNode;
  readonly definition: Definition;
  /** Null if it has not run in the period. */
  readonly counts: NodeCounts | null;
  readonly onClose: () => void;
}

const NodePanel = ({ node, definition, counts, onClose }: NodePanelProps): ReactNode => {
  const { id, name, type, parameters, settings, credentialId, notes, disabled } = node;
  const next = (definition.connections ?? []).filter(({ sourceNodeId }) => sourceNodeId === id);
  return (
    <Panel
      title={
        <span className="any-length few-lines" title={name ?? id}>
          {name ?? id}
        </span>
      }
      actions={<Button iconName="close" variant="icon" ariaLabel="Close the node" onClick={onClose} />}
    >
      <SpaceBetween size="m">
        {notes !== undefined && <Box variant="p">{notes}</Box>}
        <Facts
          columns={2}
          minColumnWidth={120}
          facts={{
            Node: <Box variant="code">{id}</Box>,
            Type: (
              <>
                <IdLink of="node-types" id={type} />
                {disabled === true && ' (disabled)'}
              </>
            ),
            Credential: credentialId === undefined ? 'None' : <IdLink of="credentials" id={credentialId} />,
            'Leads to': describeNext(next),
            'Runs, failed': counts === null ? 'None' : `${counts.runs}, ${counts.failed}`,
            'Median, 95th percentile':
              counts === null
                ? '–'
                : `${formatDuration(counts.durationMs.p50)}, ${formatDuration(counts.durationMs.p95)}`,
          }}
        />
        {Object.entries({ Parameters: parameters, Settings: settings }).map(
          ([label, value]) =>
            value !== undefined && (
              <div key={label}>
                <Box variant="awsui-key-label">{label}</Box>
                <JsonView label={`${label} of ${id}`} value={value} />
              </div>
            ),
        )}
      </SpaceBetween>
    </Panel>
  );
};

const describeNext = (next: NonNullable<Definition['connections']>): string =>
  next
    .map(({ sourceOutput = 'main', targetNodeId }) =>
      sourceOutput === 'main' ? targetNodeId : `${sourceOutput}: ${targetNodeId}`,
    )
    .join(', ') || 'The end';
