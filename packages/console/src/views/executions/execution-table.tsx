import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';

export type Execution = Answer<'GET /api/admin/executions'>['executions'][number];

interface ExecutionTableProps {
  readonly executions: readonly Execution[];
  readonly selected: readonly Execution[];
  readonly onSelect: (selected: readonly Execution[]) => void;
  readonly empty: ReactNode;
}

export const ExecutionTable = ({ executions, selected, onSelect, empty }: ExecutionTableProps): ReactNode => (
  <Rows
    label="Executions"
    items={executions}
    trackBy="executionId"
    selectionType="multi"
    selectedItems={selected}
    onSelectionChange={({ detail }) => onSelect(detail.selectedItems)}
    enableKeyboardNavigation
    contentDensity="compact"
    wrapLines={useIsStacked()}
    ariaLabels={{
      selectionGroupLabel: 'Select executions',
      allItemsSelectionLabel: () => 'Select all on this page',
      itemSelectionLabel: (_, { executionId }) => `Select ${executionId}`,
    }}
    counted="page"
    empty={empty}
    columns={COLUMNS}
    stack={STACK}
  />
);

const Id = ({ executionId }: Execution): ReactNode => <IdLink of="executions" id={executionId} />;

const Workflow = ({ workflowId, workflowVersion, mode }: Execution): ReactNode => (
  <>
    <IdLink of="workflows" id={workflowId} />{' '}
    <Box variant="small">
      version {workflowVersion}, {mode}
    </Box>
  </>
);

const COLUMNS: Columns<Execution> = [
  {
    header: 'Status',
    minWidth: 130,
    cell: ({ status, held }) => <ExecutionStatus status={status} held={held} />,
  },
  { header: 'Execution', isRowHeader: true, maxWidth: 190, cell: Id },
  { header: 'Workflow', maxWidth: 240, cell: Workflow },
  { header: 'Started', minWidth: 190, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { header: 'Took', minWidth: 90, cell: ({ durationMs }) => formatDuration(durationMs) },
];

/** All of a row below each other. */
const STACK: Columns<Execution> = [
  {
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
          {execution.durationMs !== null && ` took ${formatDuration(execution.durationMs)}`}
        </Box>
      </div>
    ),
  },
];
