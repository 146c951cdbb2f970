import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import type { ReactNode } from 'react';
import { Choice } from '../../parts/form-fields.tsx';
import type { CredentialField } from './credential-form.ts';

interface CredentialFieldsProps {
  readonly fields: readonly CredentialField[];
  readonly values: Readonly<Record<string, string>>;
  /** What was refused, by name. */
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

/** Inputs for the fields of a type; those of secrets show nothing of what is typed, unless it has several lines. */
export const CredentialFields = ({ fields, values, errors, onChange }: CredentialFieldsProps): ReactNode => (
  <SpaceBetween size="m">
    {fields.map((field) => (
      <FormField
        key={field.name}
        label={
          <>
            {field.name}
            {!field.isRequired && <i> – optional</i>}
          </>
        }
        description={field.description}
        errorText={errors[field.name]}
        constraintText={[...(field.isSecret ? ['secret'] : []), ...field.limits].join(', ')}
        stretch={true}
      >
        <FieldInput
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      </FormField>
    ))}
    {/* What was refused and is in no field. */}
    {Object.entries(errors)
      .filter(
        ([name]) => !['hosts', 'ref', 'type'].includes(name) && !fields.some((field) => field.name === name),
      )
      .map(([name, detail]) => (
        <StatusIndicator key={name} type="error">
          {name === '' ? detail : `${name}: ${detail}`}
        </StatusIndicator>
      ))}
  </SpaceBetween>
);

interface FieldInputProps {
  readonly field: CredentialField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const FieldInput = ({ field, value, onChange }: FieldInputProps): ReactNode => {
  const { allowed, isLong, isSecret, initial } = field;
  const placeholder = initial === null ? '' : String(JSON.parse(initial));
  if (allowed.length > 1)
    return (
      <Choice
        options={allowed.map((each) => String(JSON.parse(each)))}
        placeholder={placeholder === '' ? 'Choose' : `${placeholder} (default)`}
        value={value}
        onChange={onChange}
      />
    );
  if (isLong)
    return (
      <Textarea
        rows={4}
        spellcheck={false}
        autoComplete={false}
        value={value}
        onChange={({ detail }) => onChange(detail.value)}
      />
    );
  return (
    <Input
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : false}
      spellcheck={false}
      placeholder={placeholder}
      value={value}
      onChange={({ detail }) => onChange(detail.value)}
    />
  );
};
