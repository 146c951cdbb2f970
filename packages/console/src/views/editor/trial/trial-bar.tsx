import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Select, { type SelectProps } from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { useAddressState } from '../../../parts/address-state.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { nameStatus } from '../../../parts/execution-status.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ListenButton, ListeningReport, useListening } from './listening.tsx';
import { describeOrigin, formatTime } from './origin.ts';
import type { Trial } from './use-trial.ts';
import './trial.css';

interface TrialBarProps {
  readonly trial: Trial;
  /** Empty for a new workflow. */
  readonly workflowId: string;
}

const SHOWN = 15;
const EXAMPLE = 'example';

/** The data that a draft is tried on, and the runs of several nodes. */
export const TrialBar = ({ trial, workflowId }: TrialBarProps): ReactNode => {
  const { progress, report, failure, notEvaluated, asking } = trial;
  const [address, setAddress] = useAddressState('execution');
  const isTaken = useRef(false);
  const { takeExecution } = trial;
  const listening = useListening(workflowId, trial.takeCaught);
  const hooks = [...trial.graph.nodes.values()].filter(({ type }) => type === 'webhookTrigger');
  useEffect(() => {
    if (address === '' || isTaken.current) return;
    isTaken.current = true;
    // A reload keeps what was tried since.
    void takeExecution(address).then(() => setAddress(''));
  }, [address, setAddress, takeExecution]);
  return (
    <SpaceBetween size="xs">
      <div className="trial-bar">
        <DataChoice trial={trial} workflowId={workflowId} />
        <ListenButton
          listening={listening}
          triggers={hooks}
          isStored={workflowId !== ''}
          isDisabled={progress !== null}
        />
        <Button disabled={!trial.canRun} onClick={() => trial.run({ target: null, isAlone: false })}>
          Run all
        </Button>
        {progress !== null && <Button onClick={trial.stop}>Stop</Button>}
        <Button disabled={trial.isEmpty || progress !== null} onClick={trial.forgetAll}>
          Forget the data
        </Button>
      </div>
      <div role="status">
        {progress === null
          ? report
          : `Running ${progress.nodeId}${progress.done === 0 ? '' : `, ${progress.done} done`} …`}
      </div>
      <ListeningReport listening={listening} triggers={hooks} />
      {!trial.isKeptHere && (
        <Box color="text-body-secondary">
          The data is too large to be kept in this browser: it is lost when you leave the page.
        </Box>
      )}
      {notEvaluated !== null && (
        <Alert type="warning" header="The outputs are not up to date: they follow with your next change">
          <ProblemAlert error={notEvaluated} />
        </Alert>
      )}
      {failure !== null && (
        <Alert
          type="error"
          header={failure.nodeId === null ? 'There is no such data' : `Node ${failure.nodeId}`}
        >
          <ProblemAlert error={failure.error} />
        </Alert>
      )}
      {asking !== null && (
        <Confirm
          title="Run nodes that act on the outside?"
          action="Run them"
          onConfirm={() => void trial.start(asking)}
          onCancel={trial.cancel}
        >
          <Box>These act on the outside, or may do so, with the credentials of the stage:</Box>
          <ul>
            {asking.effects.map((id) => (
              <li key={id} className="any-text">
                {id}
              </li>
            ))}
          </ul>
          <Box>Pin the output of a node, and it is not run.</Box>
        </Confirm>
      )}
    </SpaceBetween>
  );
};

const DataChoice = ({ trial, workflowId }: Pick<TrialBarProps, 'trial' | 'workflowId'>): ReactNode => {
  const [isAsked, setAsked] = useState(false);
  const isOn = isAsked && workflowId !== '';
  const query = { workflowId, limit: SHOWN };
  const executions = useApi('GET /api/admin/executions', { query: { ...query, trial: 'false' } }, { isOn });
  const requests = useApi('GET /api/admin/requests', { query }, { isOn });
  const isPending = isOn && (executions.isPending || requests.isPending);
  const error = executions.error ?? requests.error;
  const options: SelectProps.Options = [
    { value: EXAMPLE, label: 'Example of the trigger' },
    {
      label: 'Executions',
      options: (executions.data?.executions ?? []).map(({ executionId, startedAt, status }) => ({
        value: `execution ${executionId}`,
        label: formatTime(startedAt),
        description: executionId,
        labelTag: nameStatus(status),
      })),
    },
    {
      label: 'Requests on record',
      options: (requests.data?.requests ?? []).map(({ id, receivedAt, method, path, verdict }) => ({
        value: `request ${id}`,
        label: formatTime(receivedAt),
        description: `${method} ${path}`,
        labelTag: verdict,
      })),
    },
  ].filter((option) => option.options === undefined || option.options.length > 0);
  const { triggerData } = trial;
  const label = triggerData === null ? 'None' : describeOrigin(triggerData);
  return (
    <div className="trial-choice">
      <FormField label="Data">
        <Select
          selectedOption={{ value: triggerData?.id ?? '', label }}
          options={options}
          statusType={isPending ? 'loading' : error === null ? 'finished' : 'error'}
          loadingText="Loading the executions and requests"
          errorText={error?.message ?? ''}
          disabled={trial.progress !== null}
          onFocus={() => setAsked(true)}
          onChange={({ detail }) => {
            const [kind = '', id = ''] = (detail.selectedOption.value ?? '').split(' ');
            if (kind === EXAMPLE) trial.forgetTriggers();
            else if (kind === 'execution') void trial.takeExecution(id);
            else void trial.takeRequest(id);
          }}
        />
      </FormField>
    </div>
  );
};
