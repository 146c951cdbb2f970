import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo } from 'react';
import type { Connection } from '../../../../../lib/workflows/definition/definition.ts';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import type { DrawnNode } from '../../parts/graph/graph-layout.ts';
import { WorkflowGraph } from '../../parts/graph/workflow-graph.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Change, type Definition, drawDifference, toDefinition } from './definition.ts';

type Difference = Answer<'GET /api/admin/workflows/{workflowId}/diff'>;

interface VersionDifferenceProps {
  readonly workflowId: string;
  readonly from: string;
  readonly to: string;
  readonly onClose: () => void;
}

/** What changed between two versions: on the graph, and as a list. */
export const VersionDifference = ({ workflowId, from, to, onClose }: VersionDifferenceProps): ReactNode => {
  const difference = useApi('GET /api/admin/workflows/{workflowId}/diff', {
    params: { workflowId },
    query: { from, to },
  });
  const later = useApi('GET /api/admin/workflows/{workflowId}/versions/{version}', {
    params: { workflowId, version: to },
  });
  return (
    <Panel
      title={
        <>
          From version {from} to {to}
        </>
      }
      actions={<Button iconName="close" variant="icon" ariaLabel="Close the comparison" onClick={onClose} />}
    >
      <Loaded query={difference}>
        {(changes) => (
          <Loaded query={later}>
            {({ definition }) => <Shown difference={changes} to={toDefinition(definition)} />}
          </Loaded>
        )}
      </Loaded>
    </Panel>
  );
};

const Shown = ({
  difference,
  to,
}: {
  readonly difference: Difference;
  readonly to: Definition;
}): ReactNode => {
  const { definition, marks } = useMemo(() => drawDifference(to, difference), [to, difference]);
  const entries = toEntries(difference);
  return (
    <SpaceBetween size="m">
      <WorkflowGraph definition={definition} marks={marks} height={380} />
      {entries.length === 0 ? (
        <Box>Nothing differs.</Box>
      ) : (
        <ul className="fields">
          {entries.map(({ change, subject, values }) => (
            <li key={`${change} ${subject}`}>
              <div className="field-head">
                <Badge color={COLORS[change]}>{change}</Badge>
                <b>{subject}</b>
              </div>
              {values.map(({ path, from, to: value }) => (
                <Box key={path} variant="small" display="block">
                  <code>{path}</code>: {printValue(from)} → {printValue(value)}
                </Box>
              ))}
            </li>
          ))}
        </ul>
      )}
    </SpaceBetween>
  );
};

const COLORS = { added: 'green', removed: 'red', changed: 'severity-medium' } as const;

type Changes = Difference['workflow'];

const toEntries = ({ nodes, connections, workflow }: Difference) => {
  const entry = (change: Change, subject: string, values: Changes = []) => ({ change, subject, values });
  return [
    ...(workflow.length === 0 ? [] : [entry('changed', 'Workflow', workflow)]),
    ...nodes.added.map((node) => entry('added', describeNode(node))),
    ...nodes.removed.map((node) => entry('removed', describeNode(node))),
    ...nodes.changed.map(({ id, changes }) => entry('changed', `Node ${id}`, changes)),
    ...connections.added.map((connection) => entry('added', describeConnection(connection))),
    ...connections.removed.map((connection) => entry('removed', describeConnection(connection))),
  ];
};

const describeNode = (node: unknown): string => {
  const { id, type } = node as DrawnNode;
  return `Node ${id} (${type})`;
};

const describeConnection = (connection: unknown): string => {
  const {
    sourceNodeId,
    sourceOutput = 'main',
    targetNodeId,
    targetInput = 'main',
  } = connection as Connection;
  return `Connection ${sourceNodeId} (${sourceOutput}) → ${targetNodeId} (${targetInput})`;
};

const MAX_LENGTH = 2_000;

const printValue = (value: unknown): string => {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (cut)` : text;
};
