import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { readOnly, readOnlyReason } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { type Definition, findNode } from './definition.ts';
import { RunDialog } from './run-dialog.tsx';

interface WorkflowActionsProps {
  readonly workflowId: string;
  readonly version: number;
  readonly definition: Definition;
  readonly triggers: readonly { readonly nodeId: string }[];
}

/** Why nothing can be started by hand; null if it can. */
const reasonNotToRun = ({ definition: { enabled }, triggers }: WorkflowActionsProps): string | null => {
  if (readOnlyReason !== null) return readOnlyReason;
  if (!enabled) return 'The workflow is disabled.';
  return triggers.length === 0 ? 'All its triggers are disabled.' : null;
};

/** Running, enabling and disabling a workflow, and what came of it. */
export const WorkflowActions = (props: WorkflowActionsProps): ReactNode => {
  const { workflowId, version, definition, triggers } = props;
  const { enabled } = definition;
  const [, navigate] = useLocation();
  const [panel, setPanel] = useAddressState('panel');
  const [isAsking, setAsking] = useState(false);
  const enable = useChange('POST /api/admin/workflows/{workflowId}/enable');
  const disable = useChange('POST /api/admin/workflows/{workflowId}/disable');
  const change = enabled ? disable : enable;
  const done = [enable, disable].flatMap(({ data }) => (data?.enabled === enabled ? [data] : []))[0];
  const error = change.error;
  const reason = reasonNotToRun(props);
  const started = triggers.flatMap(({ nodeId }) => findNode(definition, nodeId) ?? []);
  const confirm = () =>
    change.mutate(
      { params: { workflowId }, headers: { 'if-match': `"${version}"` } },
      { onSettled: () => setAsking(false) },
    );
  return (
    <SpaceBetween size="xs">
      <SpaceBetween direction="horizontal" size="xs">
        <Button {...readOnly} onClick={() => navigate(`/workflows/${encodeURIComponent(workflowId)}/edit`)}>
          Edit
        </Button>
        <Button {...readOnly} onClick={() => setAsking(true)}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button
          variant="primary"
          disabled={reason !== null}
          disabledReason={reason ?? ''}
          onClick={() => setPanel('run')}
        >
          Run by hand
        </Button>
      </SpaceBetween>
      {error !== null && <ProblemAlert error={error} />}
      {done !== undefined && (
        <Outcome>
          {enabled ? 'Enabled' : 'Disabled'} with version {done.version}.
          {done.releasing.length > 0 && ` Held executions of ${done.releasing.join(', ')} start now.`}
        </Outcome>
      )}
      {isAsking && (
        <Confirm
          title={enabled ? 'Disable this workflow?' : 'Enable this workflow?'}
          action={enabled ? 'Disable' : 'Enable'}
          isBusy={change.isPending}
          onConfirm={confirm}
          onCancel={() => setAsking(false)}
        >
          {enabled
            ? 'Nothing starts it until it is enabled again: requests are refused, schedules and events are missed. Running executions continue.'
            : 'Its triggers start it from now on.'}
        </Confirm>
      )}
      {panel === 'run' && reason === null && (
        <RunDialog workflowId={workflowId} triggers={started} onClose={() => setPanel('')} />
      )}
    </SpaceBetween>
  );
};
