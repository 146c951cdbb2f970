import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import type { ReactNode } from 'react';
import { ChoicesField } from '../../parts/choices-field.tsx';
import { EXECUTION_STATUS_NAMES } from '../../parts/execution-status.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { WorkflowField } from '../../parts/workflow-field.tsx';
import type { ExecutionFilters as Filters } from './filters.ts';

interface ExecutionFiltersProps {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
}

const STATUSES = ['accepted', 'running', 'waiting', 'succeeded', 'failed', 'timedOut', 'cancelled'].map(
  (value) => ({ value, label: EXECUTION_STATUS_NAMES[value] ?? value }),
);

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
      <FormField label="Delivery key">
        <Input
          type="search"
          value={filters.key}
          placeholder={filters.workflowId === '' ? 'Needs a workflow' : 'Any key'}
          disabled={filters.workflowId === ''}
          onChange={({ detail }) => onChange({ key: detail.value })}
        />
      </FormField>
      <FormField label="Request id">
        <Input
          type="search"
          value={filters.request}
          placeholder="Any request"
          onChange={({ detail }) => onChange({ request: detail.value })}
        />
      </FormField>
      <FormField label="Failure">
        <Input
          type="search"
          value={filters.failureName}
          placeholder="Any, such as HttpStatusError"
          onChange={({ detail }) => onChange({ failureName: detail.value })}
        />
      </FormField>
      <FormField label="Failed at node">
        <Input
          type="search"
          value={filters.failureNode}
          placeholder="Any node"
          onChange={({ detail }) => onChange({ failureNode: detail.value })}
        />
      </FormField>
      {filters.bulkRetryId !== '' && (
        <FormField label="Started by bulk retry">
          <Input
            type="search"
            value={filters.bulkRetryId}
            onChange={({ detail }) => onChange({ bulkRetryId: detail.value })}
          />
        </FormField>
      )}
    </FilterBar>
  );
};
