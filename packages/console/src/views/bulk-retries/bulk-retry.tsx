import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../api/routes.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Page } from '../../parts/page.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { withQuery } from '../../parts/with-query.ts';
import { BulkRetryProgress, BulkRetryState } from './bulk-retry-state.tsx';
import { describeFilter } from './describe-bulk-retry.ts';

const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const;

/** One retry of many executions: how far it is, and what it could not retry. */
const BulkRetry = (): ReactNode => {
  const { bulkRetryId = '' } = useParams();
  const [isAsking, setAsking] = useState(false);
  const [hasEnded, setEnded] = useState(false);
  const params = { bulkRetryId };
  const shown = useApi(
    'GET /api/admin/bulk-retries/{bulkRetryId}',
    { params },
    { everyMs: hasEnded ? false : 1_000 },
  );
  const cancel = useChange('POST /api/admin/bulk-retries/{bulkRetryId}/cancel');
  const isEnd = shown.data !== undefined && shown.data.endedAt !== null;
  if (isEnd !== hasEnded) setEnded(isEnd);

  return (
    <Loaded query={shown} heading={`Bulk retry ${bulkRetryId}`}>
      {(bulkRetry) => {
        const { state, why, createdAt, endedAt, by, filter, from, only, version, rate, refused } = bulkRetry;
        return (
          <Page
            title={filter.workflowId === null ? 'Bulk retry' : `Bulk retry of ${filter.workflowId}`}
            description={<span className="any-text">{bulkRetryId}</span>}
            actions={
              state === 'running' && (
                <Button {...readOnly} onClick={() => setAsking(true)}>
                  Cancel
                </Button>
              )
            }
          >
            {cancel.error !== null && <ProblemAlert error={cancel.error} />}
            {why !== null && (
              <Outcome type={state === 'stopped' ? 'warning' : 'info'} header="It starts no more executions">
                <MarkedText text={why} />
              </Outcome>
            )}
            {isAsking && (
              <Confirm
                title="Cancel this bulk retry"
                action="Cancel the bulk retry"
                isBusy={cancel.isPending}
                onCancel={() => setAsking(false)}
                onConfirm={() => cancel.mutate({ params }, { onSettled: () => setAsking(false) })}
              >
                It starts no more executions. Those that run continue. It can’t be resumed, but what remains
                can be retried with the same filter.
              </Confirm>
            )}
            <Container>
              <SpaceBetween size="l">
                <BulkRetryProgress {...bulkRetry} />
                <Facts
                  columns={4}
                  facts={{
                    State: <BulkRetryState state={state} endedAt={endedAt} />,
                    Started: <Time at={createdAt} />,
                    Ended: endedAt === null ? '–' : <Time at={endedAt} />,
                    By: by ?? '–',
                    Workflow:
                      filter.workflowId === null ? 'All' : <IdLink of="workflows" id={filter.workflowId} />,
                    'Which executions': describeFilter(filter),
                    'Of the period': (
                      <>
                        {filter.from !== null && (
                          <>
                            from <Time at={filter.from} />{' '}
                          </>
                        )}
                        until <Time at={filter.to} />
                      </>
                    ),
                    'What runs again': only === null ? false : 'Only failed items',
                    'From node': only === null && (from ?? 'The trigger'),
                    Version: version === 'recorded' ? 'The one that each ran' : 'The current one',
                    Rate: `${rate} per second`,
                    'Stops if more fail than': bulkRetry.stopAtFailedShare.toLocaleString(undefined, PERCENT),
                  }}
                />
              </SpaceBetween>
            </Container>
            {refused.length > 0 && (
              <Rows
                label="Executions that could not be retried"
                header={
                  <Header
                    counter={`(${bulkRetry.counts.refused})`}
                    description={
                      bulkRetry.refusedOmitted === 0
                        ? undefined
                        : `${bulkRetry.refusedOmitted} more are not listed.`
                    }
                  >
                    Could not be retried
                  </Header>
                }
                items={refused}
                trackBy="executionId"
                columns={[
                  {
                    header: 'Execution',
                    isRowHeader: true,
                    cell: ({ executionId }) => <IdLink of="executions" id={executionId} />,
                  },
                  { header: 'Reason', cell: ({ reason }) => reason },
                ]}
              />
            )}
            <SpaceBetween direction="horizontal" size="l">
              <AppLink to={toExecutions(bulkRetry, '')}>Executions that it started</AppLink>
              <AppLink to={toExecutions(bulkRetry, 'failed,timedOut')}>Those that failed again</AppLink>
            </SpaceBetween>
          </Page>
        );
      }}
    </Loaded>
  );
};

/** The list of the executions that it started; its period keeps the search short. */
const toExecutions = (
  { bulkRetryId, filter, createdAt, endedAt }: Answer<'GET /api/admin/bulk-retries/{bulkRetryId}'>,
  status: string,
): string =>
  withQuery('/executions', {
    workflowId: filter.workflowId ?? '',
    status,
    bulkRetryId,
    from: createdAt,
    to: endedAt ?? '',
  });

export default BulkRetry;
