import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ChoicesField } from '../../parts/choices-field.tsx';
import { toStatusOptions } from '../../parts/execution-status.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { Choice, TextField } from '../../parts/form-fields.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { WorkflowField } from '../../parts/workflow-field.tsx';
import { ENDED, type BulkForm as Form } from './bulk-request.ts';

interface BulkFormProps {
  readonly form: Form;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (changes: Partial<Form>) => void;
}

const STATUSES = toStatusOptions(ENDED);

/** The API's own. */
const DEFAULT_STATUS = 'failed,timedOut';

const EXTENTS = [
  { value: '', label: 'Everything from a node on' },
  {
    value: 'failedItems',
    label: 'Only failed items',
    description: 'Of forEach. Their executions may have succeeded: add that status.',
  },
];

const VERSIONS = [
  { value: 'recorded', label: 'The one that each ran' },
  { value: 'current', label: 'The current one' },
];

/** Ids of the nodes of a workflow, as it is now; none if it can't be read. */
const useNodeIds = (workflowId: string): readonly string[] => {
  const { data } = useApi(
    'GET /api/admin/workflows/{workflowId}',
    { params: { workflowId } },
    { isOn: workflowId !== '' },
  );
  const { nodes } = (data?.definition ?? {}) as { readonly nodes?: readonly { readonly id: string }[] };
  return nodes?.map(({ id }) => id) ?? [];
};

/** Which executions to retry, and how. */
export const BulkForm = ({ form, errors, onChange }: BulkFormProps): ReactNode => {
  const nodes = useNodeIds(form.workflowId).map((value) => ({ value }));
  const node = (name: 'failureNode' | 'fromNode', label: string, placeholder: string) => (
    <FormField label={label}>
      <Autosuggest
        value={form[name]}
        placeholder={placeholder}
        options={nodes}
        enteredTextLabel={(text) => `Use “${text}”`}
        empty="The workflow has no such node now."
        onChange={({ detail }) => onChange({ [name]: detail.value })}
      />
    </FormField>
  );
  const input = (name: keyof Form, label: string, placeholder: string, isNumber = false) => (
    <TextField
      label={label}
      errorText={errors[name]}
      value={form[name]}
      placeholder={placeholder}
      inputMode={isNumber ? 'numeric' : 'text'}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <FilterBar>
      <WorkflowField value={form.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
      <ChoicesField
        label="Status"
        options={STATUSES}
        value={form.status || DEFAULT_STATUS}
        onChange={(status) => onChange({ status })}
      />
      <PeriodField label="Started" value={form} onChange={onChange} />
      {node('failureNode', 'Failed at node', 'Any node')}
      {input('failureName', 'Name of the failure', 'Any, such as HttpStatusError')}
      {input('workflowVersion', 'Version that they ran', 'Any version', true)}
      <FormField label="What runs again">
        <Choice options={EXTENTS} value={form.only} onChange={(only) => onChange({ only })} />
      </FormField>
      {form.only === '' && node('fromNode', 'Run from node', 'The trigger')}
      <FormField label="Version to run">
        <Choice
          options={VERSIONS}
          value={form.version || 'recorded'}
          onChange={(version) => onChange({ version })}
        />
      </FormField>
      {input('rate', 'Starts per second', '10', true)}
      {input('stopAt', 'Stop if more than this % fail again', '50', true)}
    </FilterBar>
  );
};
