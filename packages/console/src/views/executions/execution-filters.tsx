import type { ReactNode } from 'react';
import { ChoicesField } from '../../parts/choices-field.tsx';
import { toStatusOptions } from '../../parts/execution-status.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { WorkflowField } from '../../parts/workflow-field.tsx';
import type { ExecutionFilters as Filters } from './filters.ts';

interface ExecutionFiltersProps {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
}

const STATUSES = toStatusOptions([
  'accepted',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timedOut',
  'cancelled',
]);

const TEXTS = [
  ['request', 'Request id', 'Any request'],
  ['failureName', 'Failure', 'Any, such as HttpStatusError'],
  ['failureNode', 'Failed at node', 'Any node'],
] as const;

export const ExecutionFilters = ({ filters, onChange }: ExecutionFiltersProps): ReactNode => {
  const { last, from, to, ...others } = filters;
  return (
    <FilterBar values={[...Object.values(others), `${last}${from}${to}`]}>
      <WorkflowField value={filters.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
      <ChoicesField
        label="Status"
        options={STATUSES}
        value={filters.status}
        placeholder="Any status"
        onChange={(status) => onChange({ status })}
      />
      <PeriodField label="Started" value={filters} onChange={onChange} />
      <TextField
        label="Delivery key"
        type="search"
        value={filters.key}
        placeholder={filters.workflowId === '' ? 'Needs a workflow' : 'Any key'}
        disabled={filters.workflowId === ''}
        onChange={(key) => onChange({ key })}
      />
      {TEXTS.map(([name, label, placeholder]) => (
        <TextField
          key={name}
          label={label}
          type="search"
          value={filters[name]}
          placeholder={placeholder}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {filters.bulkRetryId !== '' && (
        <TextField
          label="Started by bulk retry"
          type="search"
          value={filters.bulkRetryId}
          onChange={(bulkRetryId) => onChange({ bulkRetryId })}
        />
      )}
    </FilterBar>
  );
};
