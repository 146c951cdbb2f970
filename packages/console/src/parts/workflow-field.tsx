import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import { type ReactNode, useEffect, useState } from 'react';
import { useApi } from '../api/use-api.ts';

interface WorkflowFieldProps {
  readonly value: string;
  readonly onChange: (workflowId: string) => void;
  readonly label?: string;
  readonly placeholder?: string;
  readonly errorText?: string;
}

/** The id of a workflow, with those that exist as suggestions. Removed ones can be typed: their executions are kept. */
export const WorkflowField = ({
  value,
  onChange,
  label = 'Workflow',
  placeholder = 'All workflows',
  errorText,
}: WorkflowFieldProps): ReactNode => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const found = useApi('GET /api/admin/workflows', {
    query: { text: text === value ? '' : text, limit: 50 },
  });
  return (
    <FormField label={label} errorText={errorText}>
      <Autosuggest
        value={text}
        placeholder={placeholder}
        enteredTextLabel={(entered) => `Use “${entered}”`}
        empty="No workflow has this in its id or name."
        filteringType="manual"
        statusType={found.isPending ? 'loading' : 'finished'}
        loadingText="Loading workflows"
        options={(found.data?.workflows ?? []).map(({ id, name }) => ({ value: id, description: name }))}
        onChange={({ detail }) => {
          setText(detail.value);
          if (detail.value === '') onChange('');
        }}
        onSelect={({ detail }) => onChange(detail.value)}
        onBlur={() => text !== value && onChange(text.trim())}
      />
    </FormField>
  );
};
