import Box from '@cloudscape-design/components/box';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { WorkflowDefinition } from '../../../../../lib/workflows/definition/definition.ts';
import { callApi } from '../../api/api.ts';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { withQuery } from '../../parts/with-query.ts';
import { type Failed, groupByCause } from './outcomes.ts';

/** The records that are read to know the causes: the list of executions has no failures. */
const MAX_READ = 20;
const DAY_MS = 86_400_000;

const useFailures = (executionIds: readonly string[]): readonly Failed[] =>
  useQueries({
    queries: executionIds.map((executionId) => ({
      queryKey: ['failure', executionId],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Failed> => {
        const { workflowId, workflowVersion, failure } = await callApi(
          'GET /api/admin/executions/{executionId}',
          { params: { executionId }, signal },
        );
        const failed = { executionId, workflowId, failure };
        if (failure === null || !asksForSignIn(failure.message)) return failed;
        const { definition } = await callApi('GET /api/admin/workflows/{workflowId}/versions/{version}', {
          params: { workflowId, version: workflowVersion },
          signal,
        });
        const { nodes } = definition as WorkflowDefinition;
        const signIn = nodes.find(({ id }) => id === failure.nodeId)?.credentialId;
        return { ...failed, ...(signIn === undefined ? {} : { signIn }) };
      },
      staleTime: Number.POSITIVE_INFINITY, // they have ended
    })),
  }).flatMap(({ data }) => (data === undefined ? [] : [data]));

/** The latest failures of the last day by workflow, node and name. */
export const Failures = (): ReactNode => {
  const [from] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const query = useApi(
    'GET /api/admin/executions',
    { query: { status: 'failed,timedOut', from, limit: MAX_READ } },
    { everyMs: 30_000 },
  );
  const failures = useFailures((query.data?.executions ?? []).map(({ executionId }) => executionId));
  return (
    <Panel
      title="Failures"
      fitHeight
      description={`The latest failures of the last day, at most ${MAX_READ}, by cause`}
      actions={<AppLink to="/executions?status=failed%2CtimedOut&last=1-day">All failed</AppLink>}
    >
      <Loaded query={query} what="failures">
        {({ executions }) =>
          executions.length === 0 ? (
            <Box color="text-body-secondary">Nothing has failed.</Box>
          ) : (
            <ul className="fields">
              {groupByCause(failures).map(
                ({ key, count, workflowId, nodeId, name, executionId, message, signIn }) => (
                  <li key={key}>
                    <div className="field-head">
                      <b>{count} ×</b>
                      <IdLink
                        of="executions"
                        id={executionId}
                        ariaLabel={`${name}: the latest in ${workflowId}${nodeId === null ? '' : `, node ${nodeId}`}`}
                      >
                        {name}
                      </IdLink>
                      <span>
                        in <IdLink of="workflows" id={workflowId} />
                        {nodeId !== null && `, node ${nodeId}`}
                      </span>
                    </div>
                    <Box variant="small" color="text-body-secondary" display="block">
                      {message.slice(0, 300)}{' '}
                      {nodeId !== null && (
                        <AppLink
                          to={withQuery('/executions', {
                            workflowId,
                            status: 'failed,timedOut',
                            failureNode: nodeId,
                            failureName: name,
                            last: '1-day',
                          })}
                          ariaLabel={`All of these: ${name} in ${workflowId}, node ${nodeId}`}
                        >
                          All of these
                        </AppLink>
                      )}
                    </Box>
                    {signIn !== undefined && <SignInLink credentialId={signIn} />}
                  </li>
                ),
              )}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
};
