import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import type { ReactNode } from 'react';
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
    {Object.entries(errors)
      .filter(
        ([name]) => !['hosts', 'ref', 'type'].includes(name) && !fields.some((field) => field.name === name),
      )
      .map(([name, detail]) => (
        <FieldError key={name} name={name} detail={detail} />
      ))}
  </SpaceBetween>
);

/** What was refused and is in no field. */
const FieldError = ({ name, detail }: { readonly name: string; readonly detail: string }): ReactNode => (
  <StatusIndicator type="error">{name === '' ? detail : `${name}: ${detail}`}</StatusIndicator>
);

interface FieldInputProps {
  readonly field: CredentialField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const FieldInput = ({ field, value, onChange }: FieldInputProps): ReactNode => {
  const { allowed, isLong, isSecret, initial } = field;
  const placeholder = initial === null ? '' : String(JSON.parse(initial));
  if (allowed.length > 1) {
    const options = allowed.map((each) => ({ value: String(JSON.parse(each)) }));
    return (
      <Select
        options={options}
        placeholder={placeholder === '' ? 'Choose' : `${placeholder} (default)`}
        selectedOption={options.find((option) => option.value === value) ?? null}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    );
  }
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
