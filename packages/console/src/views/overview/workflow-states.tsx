import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { ExecutionStatus, nameStatus } from '../../parts/execution-status.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';

type Listed = Answer<'GET /api/admin/workflows'>['workflows'][number];

/** Reading one costs its definition and its last execution. */
const MAX_READ = 50;
const SHOWN = 8;

/** What needs a look comes first. */
const rank = ({ unknownNodeTypes = [], lastExecution, enabled }: Listed): number => {
  if (unknownNodeTypes.length > 0) return 0;
  if (lastExecution?.status === 'failed' || lastExecution?.status === 'timedOut') return 1;
  return enabled ? 2 : 3;
};

export const WorkflowStates = (): ReactNode => {
  const query = useApi('GET /api/admin/workflows', { query: { limit: MAX_READ } });
  return (
    <Panel
      title="Workflows"
      fitHeight
      description="Those that need a look first"
      actions={<AppLink to="/workflows">All workflows</AppLink>}
    >
      <Loaded query={query} what="workflows">
        {({ workflows, nextCursor }) => {
          const enabled = workflows.filter((workflow) => workflow.enabled).length;
          return (
            <>
              <Box>
                {enabled} enabled, {workflows.length - enabled} disabled
                {nextCursor !== null && `, of the first ${workflows.length}`}
              </Box>
              <ul className="fields">
                {workflows
                  .toSorted((one, other) => rank(one) - rank(other))
                  .slice(0, SHOWN)
                  .map((workflow) => (
                    <li key={workflow.id}>
                      <div className="field-head">
                        <IdLink of="workflows" id={workflow.id}>
                          {workflow.name.slice(0, 200)}
                        </IdLink>
                        <State workflow={workflow} />
                      </div>
                    </li>
                  ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
};

const State = ({ workflow }: { readonly workflow: Listed }): ReactNode => {
  const { name, unknownNodeTypes = [], enabled, lastExecution } = workflow;
  return (
    <>
      {unknownNodeTypes.length > 0 && (
        <StatusIndicator type="error">No plugin provides {unknownNodeTypes.join(', ')}</StatusIndicator>
      )}
      {!enabled && <StatusIndicator type="stopped">Disabled</StatusIndicator>}
      {lastExecution === null ? (
        <Box color="text-body-secondary">has not run</Box>
      ) : (
        <IdLink
          of="executions"
          id={lastExecution.executionId}
          ariaLabel={`${nameStatus(lastExecution.status)}: the last execution of ${name}`}
        >
          <ExecutionStatus status={lastExecution.status} />
        </IdLink>
      )}
    </>
  );
};
