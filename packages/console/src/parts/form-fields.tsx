import FormField, { type FormFieldProps } from '@cloudscape-design/components/form-field';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import Select, { type SelectProps } from '@cloudscape-design/components/select';
import type { ReactNode } from 'react';

interface TextFieldProps
  extends Pick<FormFieldProps, 'label' | 'description' | 'constraintText' | 'errorText' | 'stretch'>,
    Omit<InputProps, 'onChange'> {
  readonly onChange: (value: string) => void;
}

/** A line of text with its label. */
export const TextField = (props: TextFieldProps): ReactNode => {
  const { label, description, constraintText, errorText, stretch = false, onChange, ...input } = props;
  return (
    <FormField {...{ label, description, constraintText, errorText, stretch }}>
      <Input {...input} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
};

interface ChoiceProps extends Omit<SelectProps, 'options' | 'selectedOption' | 'onChange'> {
  /** A text is a value that is shown as it is. */
  readonly options: readonly (string | SelectProps.Option | SelectProps.OptionGroup)[];
  readonly value: string | null;
  /** Shown if no option has the value; no choice when absent. */
  readonly otherwise?: SelectProps.Option;
  readonly onChange: (value: string) => void;
}

/** One of several values. */
export const Choice = ({ options, value, otherwise, onChange, ...select }: ChoiceProps): ReactNode => {
  const all = options.map((each) => (typeof each === 'string' ? { value: each } : each));
  const single = all.flatMap((each) => ('options' in each ? each.options : [each]));
  return (
    <Select
      {...select}
      options={all}
      selectedOption={single.find((each) => each.value === value) ?? otherwise ?? null}
      onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
    />
  );
};
