import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { type ReactNode, useRef } from 'react';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { useIsStacked } from '../../parts/narrow.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { formatTime, Time } from '../../parts/time.tsx';

const SHOWN = 15;

export const ExecutionsTab = ({ workflowId }: { readonly workflowId: string }): ReactNode => {
  const isAnyOpen = useRef(true);
  const isStacked = useIsStacked();
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
      <Table
        variant="embedded"
        items={executions}
        trackBy="executionId"
        loading={data === undefined && error === null}
        loadingText="Loading"
        wrapLines={isStacked}
        ariaLabels={{ tableLabel: 'Last executions' }}
        renderAriaLive={({ firstIndex, lastIndex }) => `${lastIndex - firstIndex + 1} shown`}
        empty={<Box textAlign="center">It has not run. Call one of its triggers, or run it by hand.</Box>}
        visibleColumns={
          isStacked ? ['status', 'started'] : ['status', 'started', 'took', 'version', 'execution']
        }
        columnDefinitions={[
          {
            id: 'status',
            header: 'Status',
            cell: ({ status, held }) => <ExecutionStatus status={status} held={held} />,
          },
          {
            id: 'started',
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
            id: 'took',
            header: 'Took',
            cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
          },
          { id: 'version', header: 'Version', cell: ({ workflowVersion }) => workflowVersion },
          {
            id: 'execution',
            header: 'Execution',
            cell: ({ executionId }) => <Box variant="code">{executionId}</Box>,
          },
        ]}
      />
      <SpaceBetween direction="horizontal" size="l">
        <AppLink to={`/executions?workflowId=${id}`}>All its executions</AppLink>
        <AppLink to={`/executions?workflowId=${id}&status=failed%2CtimedOut`}>Those that failed</AppLink>
        <AppLink to={`/requests?workflowId=${id}`}>Its requests</AppLink>
      </SpaceBetween>
    </SpaceBetween>
  );
};
