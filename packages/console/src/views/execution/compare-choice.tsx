import Autosuggest from '@cloudscape-design/components/autosuggest';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { formatTime } from '../../parts/time.tsx';
import type { Execution } from './node-runs.ts';

interface CompareChoiceProps {
  readonly execution: Pick<Execution, 'executionId' | 'workflowId' | 'retryOf' | 'retriedBy'>;
  /** The execution that it is compared with; empty for the last success. */
  readonly other: string;
  readonly onChoose: (executionId: string) => void;
}

/** With which execution of the workflow one is compared: related and recent ones are offered, any id can be written. */
export const CompareChoice = ({ execution, other, onChoose }: CompareChoiceProps): ReactNode => {
  const { executionId, workflowId, retryOf, retriedBy } = execution;
  const [text, setText] = useState(other);
  const { data } = useApi('GET /api/admin/executions', { query: { workflowId, limit: 25 } });
  const related = [
    ...(retryOf === null ? [] : [{ value: retryOf.executionId, description: 'The one that it retries' }]),
    ...(retriedBy === null ? [] : [{ value: retriedBy, description: 'Its retry' }]),
  ];
  const recent = (data?.executions ?? [])
    .filter((one) => one.executionId !== executionId && one.executionId !== retryOf?.executionId)
    .filter((one) => one.executionId !== retriedBy)
    .map(({ executionId: value, startedAt, status }) => ({
      value,
      description: `${status}, ${formatTime(startedAt)}`,
    }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(text.trim());
      }}
    >
      <FormField
        label="Compare with"
        description="Another execution of the workflow; empty for its last success"
        secondaryControl={<Button formAction="submit">Compare</Button>}
      >
        <Autosuggest
          value={text}
          placeholder="The last success"
          options={[...related, ...recent]}
          enteredTextLabel={(value) => `The execution ${value}`}
          clearAriaLabel="Clear"
          empty="The workflow has no other execution."
          onChange={({ detail }) => setText(detail.value)}
          onSelect={({ detail }) => onChoose(detail.value)}
        />
      </FormField>
    </form>
  );
};
