import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { Page } from '../../parts/page.tsx';
import { disabledBy } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { BulkForm } from './bulk-form.tsx';
import { BulkPlan, type Plan } from './bulk-plan.tsx';
import { checkForm, FORM_NAMES, toBulkRequest } from './bulk-request.ts';

type Request = ReturnType<typeof toBulkRequest>;

/** Retries many executions: first the plan, then the start of exactly what was planned. */
const NewBulkRetry = (): ReactNode => {
  const [, navigate] = useLocation();
  const [form, change] = useAddressStates(FORM_NAMES);
  const [planned, setPlanned] = useState<{
    readonly for: string;
    readonly request: Request;
    readonly plan: Plan;
  }>();
  const plan = useChange('POST /api/admin/executions/retry');
  const start = useChange('POST /api/admin/executions/retry');
  const errors = checkForm(form);
  const current = JSON.stringify(form);
  const shown = planned?.for === current ? planned : null;

  const makePlan = () => {
    const request = toBulkRequest(form, Date.now());
    start.reset();
    plan.mutate(
      { body: { ...request, dryRun: true } },
      { onSuccess: (answer) => setPlanned({ for: current, request, plan: answer }) },
    );
  };

  const startPlanned = ({ request, plan: { checkedUntil } }: NonNullable<typeof shown>) =>
    start.mutate(
      // Those that have failed since were not in the plan.
      { body: { ...request, filter: { ...request.filter, to: checkedUntil } } },
      {
        onSuccess: (answer) =>
          'bulkRetryId' in answer && navigate(`/bulk-retries/${encodeURIComponent(answer.bulkRetryId)}`),
      },
    );

  const count = shown?.plan.count ?? 0;
  return (
    <Page title="Retry many executions" description="Plan it first: the plan starts nothing.">
      <Container
        footer={
          <Button
            variant={shown === null ? 'primary' : 'normal'}
            loading={plan.isPending}
            {...disabledBy(Object.keys(errors).length > 0 && 'Correct the fields first.')}
            onClick={makePlan}
          >
            Plan
          </Button>
        }
      >
        <BulkForm
          form={form}
          errors={errors}
          onChange={(changes) => change(changes as Record<string, string>)}
        />
      </Container>
      {plan.error !== null && !plan.isPending && <ProblemAlert error={plan.error} onRetry={makePlan} />}
      {planned !== undefined && shown === null && !plan.isPending && (
        <Alert type="info">The form has changed since the plan. Plan it again.</Alert>
      )}
      {shown !== null && (
        <SpaceBetween size="l">
          <BulkPlan plan={shown.plan} onNarrow={change} />
          {start.error !== null && <ProblemAlert error={start.error} />}
          <Button
            variant="primary"
            loading={start.isPending}
            {...disabledBy(count === 0 && 'Nothing that matches can be retried.')}
            onClick={() => startPlanned(shown)}
          >
            {count === 1 ? 'Retry 1 execution' : `Retry ${count} executions`}
          </Button>
        </SpaceBetween>
      )}
    </Page>
  );
};

export default NewBulkRetry;
