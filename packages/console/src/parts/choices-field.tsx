import FormField from '@cloudscape-design/components/form-field';
import Multiselect from '@cloudscape-design/components/multiselect';
import type { ReactNode } from 'react';

interface ChoicesFieldProps {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** What is chosen, separated by commas. */
  readonly value: string;
  /** What nothing chosen means. */
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
}

/** Several of a few values, as the API takes them in one parameter. */
export const ChoicesField = ({
  label,
  options,
  value,
  placeholder,
  onChange,
}: ChoicesFieldProps): ReactNode => {
  const names = value.split(',');
  const chosen = options.filter((option) => names.includes(option.value));
  return (
    <FormField label={label}>
      <Multiselect
        options={options}
        selectedOptions={chosen}
        // The choice as the button's text: its inline tokens are not in its name for screen readers.
        hideTokens={true}
        placeholder={chosen.map((option) => option.label).join(', ') || (placeholder ?? '')}
        onChange={({ detail }) => onChange(detail.selectedOptions.map((option) => option.value).join(','))}
      />
    </FormField>
  );
};
