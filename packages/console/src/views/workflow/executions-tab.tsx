import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useRef } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { formatTime, Time } from '../../parts/time.tsx';

const SHOWN = 15;

type Execution = Answer<'GET /api/admin/executions'>['executions'][number];

const COLUMNS: Columns<Execution> = [
  { header: 'Status', cell: ({ status, held }) => <ExecutionStatus status={status} held={held} /> },
  {
    header: 'Started',
    isRowHeader: true,
    cell: ({ executionId, startedAt }) => (
      <IdLink
        of="executions"
        id={executionId}
        ariaLabel={`${formatTime(startedAt)}, execution ${executionId}`}
      >
        <Time at={startedAt} />
      </IdLink>
    ),
  },
  {
    header: 'Took',
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
  { header: 'Version', cell: ({ workflowVersion }) => workflowVersion },
  { header: 'Execution', cell: ({ executionId }) => <Box variant="code">{executionId}</Box> },
];

export const ExecutionsTab = ({ workflowId }: { readonly workflowId: string }): ReactNode => {
  const isAnyOpen = useRef(true);
  const { data, error, refetch } = useApi(
    'GET /api/admin/executions',
    { query: { workflowId, limit: SHOWN } },
    { everyMs: isAnyOpen.current ? 2_000 : 15_000 },
  );
  const executions = data?.executions ?? [];
  isAnyOpen.current = executions.some(({ endedAt }) => endedAt === null);
  const id = encodeURIComponent(workflowId);
  return (
    <SpaceBetween size="m">
      {error !== null && <ProblemAlert error={error} onRetry={refetch} />}
      <Rows
        label="Last executions"
        variant="embedded"
        items={executions}
        trackBy="executionId"
        loading={data === undefined && error === null}
        wrapLines={useIsStacked()}
        counted="shown"
        empty="It has not run. Call one of its triggers, or run it by hand."
        columns={COLUMNS}
        stack={COLUMNS.slice(0, 2)}
      />
      <SpaceBetween direction="horizontal" size="l">
        <AppLink to={`/executions?workflowId=${id}`}>All its executions</AppLink>
        <AppLink to={`/executions?workflowId=${id}&status=failed%2CtimedOut`}>Those that failed</AppLink>
        <AppLink to={`/requests?workflowId=${id}`}>Its requests</AppLink>
      </SpaceBetween>
    </SpaceBetween>
  );
};
