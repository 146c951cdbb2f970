import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Toggle from '@cloudscape-design/components/toggle';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useChange, useIdempotencyKey } from '../../api/use-api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Choice } from '../../parts/form-fields.tsx';
import { JsonField } from '../../parts/json-field.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import type { Execution } from './node-runs.ts';
import { capitalize } from './reason.tsx';
import { type EditedFields, findRecordedInput, readEditedFields } from './retry-input.ts';
import { useCurrentVersion, useVersion } from './use-definition.ts';
import { type RetryOptions, type RetryPlan, useRetryPlan } from './use-retry-plan.ts';

interface RetryDialogProps {
  readonly execution: Execution;
  /** The first node to run again; empty for the start. */
  readonly from: string;
  readonly onFrom: (nodeId: string) => void;
  readonly onClose: () => void;
}

/** Runs an execution again, as a new one, after it has said what that does. */
export const RetryDialog = ({ execution, from, onFrom, onClose }: RetryDialogProps): ReactNode => {
  const { executionId, workflowId, workflowVersion, nodes, trigger, failedItems } = execution;
  const [, navigate] = useLocation();
  const [version, setVersion] = useState<'recorded' | 'current'>('recorded');
  const recorded = useVersion(workflowId, workflowVersion);
  const current = useCurrentVersion(workflowId);
  const definition = (version === 'recorded' ? recorded : current)?.definition ?? null;
  const original = findRecordedInput(nodes, trigger.nodeId);
  const [isOnlyItems, setOnlyItems] = useState(from === '' && failedItems > 0);
  const options: RetryOptions = {
    ...(isOnlyItems ? { only: 'failedItems' } : from === '' ? {} : { from }),
    version,
  };
  const [isEditing, setEditing] = useState(false);
  const [text, setText] = useState(() => JSON.stringify(original ?? { body: {} }, null, 2));
  const plan = useRetryPlan({ execution, options, definition });
  const retry = useChange('POST /api/admin/executions/{executionId}/retry');
  const isFromStart = from === '' && !isOnlyItems;
  const edited: EditedFields | null = isEditing && isFromStart ? readEditedFields(text, original) : null;
  const input = edited?.fields ?? {};
  const body = { ...options, ...(Object.keys(input).length === 0 ? {} : { input }) };
  const key = useIdempotencyKey(body);

  const start = (): void => {
    retry.mutate(
      { params: { executionId }, body, headers: { 'idempotency-key': key } },
      { onSuccess: (started) => navigate(`/executions/${encodeURIComponent(started.executionId)}`) },
    );
  };
  const starts = [
    { value: '', label: 'The start', description: 'Every node runs again' },
    ...(definition?.nodes ?? [])
      .filter(({ id }) => id !== trigger.nodeId)
      .map(({ id, type }) => ({ value: id, label: id, description: type })),
  ];
  const problem = edited?.problem ?? plan.refusal;
  return (
    <Confirm
      title="Retry this execution"
      action="Retry"
      leave="Don't retry"
      isLarge
      isBusy={retry.isPending}
      problem={problem}
      onConfirm={start}
      onCancel={onClose}
    >
      <SpaceBetween size="l">
        <Box>A retry is a new execution of the same request. This one keeps its status and its results.</Box>
        {failedItems > 0 && (
          <FormField label="What runs again">
            <RadioGroup
              value={isOnlyItems ? 'failedItems' : ''}
              items={[
                {
                  value: 'failedItems',
                  label: failedItems === 1 ? 'Only the failed item' : `Only the ${failedItems} failed items`,
                  description: 'Everything else keeps its results, unless it is given other ones.',
                },
                { value: '', label: 'Everything from a node on' },
              ]}
              onChange={({ detail }) => setOnlyItems(detail.value !== '')}
            />
          </FormField>
        )}
        {!isOnlyItems && (
          <FormField
            label="Start from"
            description="The nodes before it are not run again: their results are taken over."
          >
            <Choice
              options={starts}
              value={from}
              otherwise={{ value: from, label: from }}
              filteringType={starts.length > 10 ? 'auto' : 'none'}
              onChange={onFrom}
            />
          </FormField>
        )}
        <FormField label="Version of the workflow">
          <RadioGroup
            value={version}
            items={[
              { value: 'recorded', label: `Version ${workflowVersion}, which ran` },
              {
                value: 'current',
                label: current === null ? 'The current version' : `The current version, ${current.version}`,
                disabled: current === null || current.version === workflowVersion,
                description: describeCurrent(current?.version ?? null, workflowVersion),
              },
            ]}
            onChange={({ detail }) => setVersion(detail.value === 'current' ? 'current' : 'recorded')}
          />
        </FormField>
        {isFromStart && (
          <Toggle checked={isEditing} onChange={({ detail }) => setEditing(detail.checked)}>
            Edit the input
          </Toggle>
        )}
        {edited !== null && (
          <FormField
            label="Input of the trigger"
            description={
              original === null
                ? 'The record does not have it. Write the fields to replace; the others stay.'
                : 'Fields that you change are replaced as a whole; "[redacted]" keeps the real value.'
            }
            errorText={edited.problem}
            constraintText={describeFields(edited)}
            stretch
          >
            <JsonField value={text} label="Input of the trigger" onChange={setText} />
          </FormField>
        )}
        <div role="status">
          <Plan plan={plan} />
        </div>
        {retry.error !== null && <ProblemAlert error={retry.error} />}
      </SpaceBetween>
    </Confirm>
  );
};

const describeCurrent = (current: number | null, recorded: number): string => {
  if (current === null) return "The workflow has been removed, or can't be read";
  return current === recorded ? 'It is the one that ran' : 'Its changes apply';
};

const describeFields = ({ fields }: EditedFields): string => {
  if (fields === null) return '';
  const names = Object.keys(fields);
  return names.length === 0 ? 'Nothing is changed yet.' : `Replaces ${names.join(', ')}.`;
};

const Plan = ({ plan }: { readonly plan: RetryPlan }): ReactNode => {
  const { isLoading, effects, refusal, isDerived } = plan;
  if (isLoading) return <StatusIndicator type="loading">Finding out what it does</StatusIndicator>;
  if (refusal !== null)
    return (
      <Alert type="warning" header="It can't be retried so">
        {capitalize(refusal)}.
      </Alert>
    );
  const again = effects.filter(({ runsAgain }) => runsAgain > 0);
  const first = effects.filter(({ runsAgain }) => runsAgain === 0);
  return (
    <Alert type={again.length > 0 ? 'warning' : 'info'} header="What it does outside of the service">
      {effects.length === 0 && <p>No node that runs acts on the outside.</p>}
      {again.length > 0 && (
        <p>
          Acts again: <Effects effects={again} />
        </p>
      )}
      {first.length > 0 && (
        <p>
          May act for the first time: <Effects effects={first} />
        </p>
      )}
      {isDerived && (
        <p>
          This is derived from the definition. What other workflows do, which a subworkflow node runs, is not
          known.
        </p>
      )}
    </Alert>
  );
};

const Effects = ({ effects }: Pick<RetryPlan, 'effects'>): ReactNode =>
  effects.map(({ nodeId, type, runsAgain, isUnsure }, at) => (
    <span key={nodeId}>
      {at > 0 && ', '}
      <code>{nodeId}</code> ({type}
      {runsAgain > 1 && `, ${runsAgain} times`}
      {isUnsure && ', depending on its parameters'})
    </span>
  ));
