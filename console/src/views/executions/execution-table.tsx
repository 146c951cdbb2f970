import Box from '@cloudscape-design/components/box';
import Table from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { Time } from '../../parts/time.tsx';

export type Execution = Answer<'GET /api/admin/executions'>['executions'][number];

interface ExecutionTableProps {
  readonly executions: readonly Execution[];
  readonly selected: readonly Execution[];
  readonly onSelect: (selected: readonly Execution[]) => void;
  readonly empty: ReactNode;
}

export const ExecutionTable = ({ executions, selected, onSelect, empty }: ExecutionTableProps): ReactNode => (
  <Table
    items={executions}
    trackBy="executionId"
    selectionType="multi"
    selectedItems={selected}
    onSelectionChange={({ detail }) => onSelect(detail.selectedItems)}
    enableKeyboardNavigation={true}
    stickyColumns={{ first: 1 }}
    contentDensity="compact"
    ariaLabels={{
      tableLabel: 'Executions',
      selectionGroupLabel: 'Select executions',
      allItemsSelectionLabel: () => 'Select all on this page',
      itemSelectionLabel: (_, { executionId }) => `Select ${executionId}`,
    }}
    renderAriaLive={({ visibleItemsCount }) => `${visibleItemsCount ?? 0} executions on this page`}
    empty={<Box textAlign="center">{empty}</Box>}
    columnDefinitions={[
      {
        id: 'status',
        header: 'Status',
        minWidth: 130,
        cell: ({ status, held }) => <ExecutionStatus status={status} held={held} />,
      },
      {
        id: 'executionId',
        header: 'Execution',
        isRowHeader: true,
        maxWidth: 230,
        cell: ({ executionId }) => (
          <AppLink to={`/executions/${encodeURIComponent(executionId)}`}>{executionId}</AppLink>
        ),
      },
      {
        id: 'workflow',
        header: 'Workflow',
        maxWidth: 240,
        cell: ({ workflowId, workflowVersion }) => (
          <>
            <AppLink to={`/workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</AppLink>{' '}
            <Box variant="small">version {workflowVersion}</Box>
          </>
        ),
      },
      { id: 'started', header: 'Started', minWidth: 190, cell: ({ startedAt }) => <Time at={startedAt} /> },
      {
        id: 'duration',
        header: 'Took',
        minWidth: 100,
        cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
      },
      { id: 'mode', header: 'Mode', cell: ({ mode }) => mode },
    ]}
  />
);
