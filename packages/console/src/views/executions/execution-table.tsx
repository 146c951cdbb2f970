import Box from '@cloudscape-design/components/box';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { Time } from '../../parts/time.tsx';

export type Execution = Answer<'GET /api/admin/executions'>['executions'][number];

interface ExecutionTableProps {
  readonly executions: readonly Execution[];
  readonly selected: readonly Execution[];
  readonly onSelect: (selected: readonly Execution[]) => void;
  readonly empty: ReactNode;
}

export const ExecutionTable = ({ executions, selected, onSelect, empty }: ExecutionTableProps): ReactNode => {
  const isStacked = useIsStacked();
  return (
    <Table
      items={executions}
      trackBy="executionId"
      selectionType="multi"
      selectedItems={selected}
      onSelectionChange={({ detail }) => onSelect(detail.selectedItems)}
      enableKeyboardNavigation={true}
      contentDensity="compact"
      wrapLines={isStacked}
      ariaLabels={{
        tableLabel: 'Executions',
        selectionGroupLabel: 'Select executions',
        allItemsSelectionLabel: () => 'Select all on this page',
        itemSelectionLabel: (_, { executionId }) => `Select ${executionId}`,
      }}
      renderAriaLive={({ visibleItemsCount }) => `Executions on this page: ${visibleItemsCount ?? 0}`}
      empty={<Box textAlign="center">{empty}</Box>}
      columnDefinitions={isStacked ? STACK : COLUMNS}
    />
  );
};

const Id = ({ executionId }: Execution): ReactNode => (
  <AppLink to={`/executions/${encodeURIComponent(executionId)}`}>{executionId}</AppLink>
);

const Workflow = ({ workflowId, workflowVersion, mode }: Execution): ReactNode => (
  <>
    <AppLink to={`/workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</AppLink>{' '}
    <Box variant="small">
      version {workflowVersion}, {mode}
    </Box>
  </>
);

const tookOf = ({ durationMs }: Execution): string =>
  durationMs === null ? '–' : formatDuration(durationMs);

const COLUMNS: TableProps<Execution>['columnDefinitions'] = [
  {
    id: 'status',
    header: 'Status',
    minWidth: 130,
    cell: ({ status, held }) => <ExecutionStatus status={status} held={held} />,
  },
  { id: 'executionId', header: 'Execution', isRowHeader: true, maxWidth: 190, cell: Id },
  { id: 'workflow', header: 'Workflow', maxWidth: 240, cell: Workflow },
  { id: 'started', header: 'Started', minWidth: 190, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { id: 'duration', header: 'Took', minWidth: 90, cell: tookOf },
];

/** All of a row below each other. */
const STACK: TableProps<Execution>['columnDefinitions'] = [
  {
    id: 'executionId',
    header: 'Execution',
    isRowHeader: true,
    cell: (execution) => (
      <div className="any-text">
        <ExecutionStatus status={execution.status} held={execution.held} />
        <div>
          <Id {...execution} />
        </div>
        <Workflow {...execution} />
        <Box variant="small" display="block">
          <Time at={execution.startedAt} />
          {execution.durationMs !== null && ` took ${tookOf(execution)}`}
        </Box>
      </div>
    ),
  },
];
