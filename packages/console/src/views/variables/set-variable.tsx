import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Textarea from '@cloudscape-design/components/textarea';
import { type ReactNode, useState } from 'react';
import { isOutdated } from '../../api/api.ts';
import { useChange } from '../../api/use-api.ts';
import { ExpiresField } from '../../parts/expiry.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Choice, TextField } from '../../parts/form-fields.tsx';
import { EMPTY, readForm, toForm, type Variable, type VariableForm } from './variable-form.ts';

const TYPES = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'json', label: 'JSON' },
] as const;

interface SetVariableProps {
  /** The variable to change; null to create one. */
  readonly variable: Variable | null;
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

/** Creates or changes a variable; refused if it was changed since it was read. */
export const SetVariable = ({ variable, onClose, onDone }: SetVariableProps): ReactNode => {
  const [form, setForm] = useState<VariableForm>(variable === null ? EMPTY : toForm(variable));
  const [mistakes, setMistakes] = useState<Readonly<Partial<Record<'name' | 'text', string>>>>({});
  const change = useChange('PUT /api/admin/variables/{name}');
  const isTaken = variable === null && isOutdated(change.error);
  const edit = (changes: Partial<VariableForm>) => setForm({ ...form, ...changes });
  const submit = () => {
    const { body, mistakes: found } = readForm(form);
    setMistakes(found ?? {});
    if (body === null) return;
    const headers: Record<string, string> =
      variable === null ? { 'if-none-match': '*' } : { 'if-match': `"${variable.revision}"` };
    change.mutate(
      { params: { name: form.name }, headers, body },
      {
        onSuccess: ({ name, changed, revision }) =>
          onDone(changed ? `${name} is set: revision ${revision}.` : `${name} has this value already.`),
      },
    );
  };
  return (
    <FormDialog
      title={variable === null ? 'Create a variable' : `Change ${variable.name}`}
      action={variable === null ? 'Create' : 'Change'}
      change={change}
      error={isTaken ? null : change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {variable === null && (
        <TextField
          label="Name"
          description="Workflows read it as $vars.name."
          errorText={isTaken ? 'A variable has this name already: choose another.' : mistakes.name}
          stretch={true}
          spellcheck={false}
          value={form.name}
          onChange={(name) => edit({ name })}
        />
      )}
      <FormField label="Type" stretch={true}>
        <Choice
          options={TYPES}
          value={form.type}
          onChange={(type) => edit({ type: type as VariableForm['type'] })}
        />
      </FormField>
      <FormField
        label="Value"
        description="Never a secret: everyone who may read executions sees it."
        errorText={mistakes.text}
        stretch={true}
      >
        <Value form={form} onChange={(text) => edit({ text })} />
      </FormField>
      <TextField
        label="Description"
        description="What it is for."
        stretch={true}
        value={form.description}
        onChange={(description) => edit({ description })}
      />
      <ExpiresField value={form.expires} onChange={(expires) => edit({ expires })} />
    </FormDialog>
  );
};

interface ValueProps {
  readonly form: VariableForm;
  readonly onChange: (text: string) => void;
}

const Value = ({ form: { type, text }, onChange }: ValueProps): ReactNode => {
  if (type === 'boolean')
    return <Choice options={['true', 'false']} placeholder="Choose" value={text} onChange={onChange} />;
  if (type === 'number')
    return <Input inputMode="decimal" value={text} onChange={({ detail }) => onChange(detail.value)} />;
  return (
    <Textarea rows={4} spellcheck={false} value={text} onChange={({ detail }) => onChange(detail.value)} />
  );
};
