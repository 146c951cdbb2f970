import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';

export type Plan = Answer<'POST /api/admin/executions/retry'>;

interface BulkPlanProps {
  readonly plan: Plan;
  /** Narrows the filter to the executions that failed so. */
  readonly onNarrow: (failure: { readonly failureNode: string; readonly failureName: string }) => void;
}

export const BulkPlan = ({ plan, onNarrow }: BulkPlanProps): ReactNode => {
  const { count, byFailure, effects, refused, checkedUntil, checkedSince } = plan;
  const narrow = ({ nodeId, name }: Plan['byFailure'][number]): ReactNode =>
    nodeId !== null &&
    name !== null && (
      <Button
        variant="inline-link"
        ariaLabel={`Only those that failed at ${nodeId} with ${name}`}
        onClick={() => onNarrow({ failureNode: nodeId, failureName: name })}
      >
        Only these
      </Button>
    );
  return (
    <SpaceBetween size="l">
      <Outcome type={count === 0 ? 'warning' : 'info'} header={`${count.toLocaleString()} can be retried`}>
        Of those that started until <Time at={checkedUntil} />.
        {checkedSince !== null && (
          <>
            {' '}
            Too many match to check all: only those since <Time at={checkedSince} /> were checked. Choose a
            shorter period.
          </>
        )}
      </Outcome>
      {byFailure.length > 0 && (
        <Rows
          header={<Header variant="h2">How they ended</Header>}
          items={byFailure}
          label="How they ended"
          columns={[
            { header: 'Failure', isRowHeader: true, cell: ({ name }) => name ?? 'No failure' },
            { header: 'Node', cell: ({ nodeId }) => nodeId ?? '–' },
            { header: 'Executions', cell: (each) => each.count.toLocaleString() },
            ...(byFailure.length > 1 ? [{ header: 'Filter', cell: narrow }] : []),
          ]}
        />
      )}
      <Rows
        header={
          <Header
            variant="h2"
            description="Nodes that act on the outside: mails are sent again, requests made again."
          >
            Effects
          </Header>
        }
        items={effects}
        label="Effects"
        empty="No node acts on the outside."
        columns={[
          {
            header: 'Node',
            isRowHeader: true,
            cell: ({ workflowId, nodeId }) => `${workflowId} / ${nodeId}`,
          },
          {
            header: 'Type',
            cell: ({ type }) => <IdLink of="node-types" id={type} />,
          },
          { header: 'Runs again', cell: ({ runsAgain }) => runsAgain.toLocaleString() },
          {
            header: 'May run for the first time',
            cell: ({ mayRun }) => mayRun.toLocaleString(),
          },
        ]}
      />
      {refused.length > 0 && (
        <Rows
          header={<Header variant="h2">Can’t be retried</Header>}
          items={refused}
          label="Executions that can’t be retried"
          columns={[
            { header: 'Reason', isRowHeader: true, cell: ({ reason }) => reason },
            { header: 'Executions', cell: (each) => each.count.toLocaleString() },
            {
              header: 'Such as',
              cell: ({ executionIds: [first] }) =>
                first !== undefined && <IdLink of="executions" id={first} />,
            },
          ]}
        />
      )}
    </SpaceBetween>
  );
};
