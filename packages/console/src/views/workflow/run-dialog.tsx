import Alert from '@cloudscape-design/components/alert';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useChange, useIdempotencyKey } from '../../api/use-api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Choice } from '../../parts/form-fields.tsx';
import { JsonField } from '../../parts/json-field.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import type { DefinitionNode } from './definition.ts';
import { type InputField, parseInput, startOfInput, toInput, toInputFields } from './run-input.ts';

interface RunDialogProps {
  readonly workflowId: string;
  /** Those that can be started, at least one. */
  readonly triggers: readonly DefinitionNode[];
  readonly onClose: () => void;
}

/** Starts the workflow by hand, then shows the execution. */
export const RunDialog = ({ workflowId, triggers, onClose }: RunDialogProps): ReactNode => {
  const [, navigate] = useLocation();
  const [triggerId, setTriggerId] = useState(triggers[0]?.id ?? '');
  const trigger = triggers.find(({ id }) => id === triggerId);
  const fields = useMemo(() => (trigger === undefined ? null : toInputFields(trigger)), [trigger]);
  const [wantsJson, setWantsJson] = useState(false);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState(() => startOfInput(trigger?.type ?? ''));
  const change = useChange('POST /api/admin/workflows/{workflowId}/executions');
  const isForm = fields !== null && !wantsJson;
  const given = isForm ? { input: toInput(trigger?.type ?? '', fields, values) } : parseInput(text);
  const key = useIdempotencyKey([given, triggerId]);
  const run = () => {
    if (!('input' in given)) return;
    const call = { params: { workflowId }, query: { trigger: triggerId }, body: given.input };
    change.mutate(
      { ...call, headers: { 'idempotency-key': key } },
      { onSuccess: ({ executionId }) => navigate(`/executions/${encodeURIComponent(executionId)}`) },
    );
  };
  const toJson = (isOn: boolean) => {
    if (isOn && fields !== null)
      setText(JSON.stringify(toInput(trigger?.type ?? '', fields, values), null, 2));
    setWantsJson(isOn);
  };
  const options = triggers.map(({ id, type }) => ({ value: id, label: id, description: type }));
  return (
    <Confirm
      title="Run by hand"
      action="Run"
      isLarge
      isBusy={change.isPending}
      problem={'input' in given ? null : 'The input must be a JSON object'}
      onConfirm={run}
      onCancel={onClose}
    >
      <SpaceBetween size="m">
        <Alert type="info">
          It runs in the background, with all its effects. Neither authentication nor the other checks of
          requests apply.
        </Alert>
        {triggers.length > 1 && (
          <FormField label="Trigger">
            <Choice
              options={options}
              value={triggerId}
              onChange={(id) => {
                setTriggerId(id);
                setValues({});
                setText(startOfInput(triggers.find((one) => one.id === id)?.type ?? ''));
              }}
            />
          </FormField>
        )}
        {fields !== null && (
          <Checkbox checked={wantsJson} onChange={({ detail }) => toJson(detail.checked)}>
            Write the whole input as JSON
          </Checkbox>
        )}
        {isForm ? (
          fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))
        ) : (
          <FormField
            label="Input of the trigger"
            errorText={'reason' in given ? given.reason : undefined}
            stretch
          >
            <JsonField label="Input of the trigger" value={text} onChange={setText} />
          </FormField>
        )}
        {change.error !== null && <ProblemAlert error={change.error} />}
      </SpaceBetween>
    </Confirm>
  );
};

interface FieldProps {
  readonly field: InputField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const Field = ({ field, value, onChange }: FieldProps): ReactNode => {
  const { label, description, kind, isRequired, choices } = field;
  const texts = kind === 'boolean' ? ['true', 'false'] : choices;
  const options = [
    { value: '', label: 'Not given' },
    ...texts.map((text) => ({ value: text, label: text.replace(/^"(.*)"$/, '$1') })),
  ];
  return (
    <FormField label={isRequired ? label : `${label} – optional`} description={description}>
      {kind === 'text' || kind === 'number' ? (
        <Input
          value={value}
          type={kind}
          {...(kind === 'number' ? { step: 'any' as unknown as number } : {})}
          onChange={({ detail }) => onChange(detail.value)}
        />
      ) : (
        <Choice options={options} value={value} onChange={onChange} />
      )}
    </FormField>
  );
};
