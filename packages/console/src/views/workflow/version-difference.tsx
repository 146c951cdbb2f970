import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
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
          {entries.map(({ key, change, subject, values }) => (
            <li key={key}>
              <div className="field-head">
                <Badge color={COLORS[change]}>{change}</Badge>
                <b>{subject}</b>
              </div>
              {values.map(({ path, from, to: value }) => (
                <Box key={path} variant="small" display="block">
                  <code>{path}</code>: {show(from)} → {show(value)}
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

interface Entry {
  readonly key: string;
  readonly change: Change;
  readonly subject: string;
  readonly values: Difference['workflow'];
}

const toEntries = ({ nodes, connections, workflow }: Difference): readonly Entry[] => {
  const parts = (change: Change, list: readonly unknown[], describe: (part: never) => string): Entry[] =>
    list.map((part) => {
      const subject = describe(part as never);
      return { key: `${change} ${subject}`, change, subject, values: [] };
    });
  const node = ({ id, type }: { readonly id: string; readonly type: string }) => `Node ${id} (${type})`;
  const connection = (one: {
    readonly sourceNodeId: string;
    readonly sourceOutput?: string;
    readonly targetNodeId: string;
    readonly targetInput?: string;
  }) =>
    `Connection ${one.sourceNodeId} (${one.sourceOutput ?? 'main'}) → ${one.targetNodeId} (${one.targetInput ?? 'main'})`;
  return [
    ...(workflow.length === 0
      ? []
      : [{ key: 'workflow', change: 'changed' as const, subject: 'Workflow', values: workflow }]),
    ...parts('added', nodes.added, node),
    ...parts('removed', nodes.removed, node),
    ...nodes.changed.map(({ id, changes }) => ({
      key: `changed ${id}`,
      change: 'changed' as const,
      subject: `Node ${id}`,
      values: changes,
    })),
    ...parts('added', connections.added, connection),
    ...parts('removed', connections.removed, connection),
  ];
};

const MAX_LENGTH = 2_000;

const show = (value: unknown): string => {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (cut)` : text;
};
