import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { readOnly, readOnlyReason } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { withQuery } from '../../parts/with-query.ts';
import { type Execution, isFinal } from './node-runs.ts';

interface ExecutionActionsProps {
  readonly execution: Execution;
  readonly onRetry: () => void;
  readonly onCancel: () => void;
}

export const ExecutionActions = ({ execution, onRetry, onCancel }: ExecutionActionsProps): ReactNode => {
  const [, navigate] = useLocation();
  const { executionId, workflowId, status, mode, trial = false } = execution;
  const hasEnded = isFinal(execution);
  const noCancel = mode === 'inline' ? 'A run with a waiting caller ends within seconds.' : readOnlyReason;
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button onClick={() => navigate(`/executions/${encodeURIComponent(executionId)}/compare`)}>
        Compare
      </Button>
      {!trial && (
        <Button
          {...readOnly}
          onClick={() =>
            navigate(
              withQuery(`/workflows/${encodeURIComponent(workflowId)}/edit`, { execution: executionId }),
            )
          }
        >
          Edit with this data
        </Button>
      )}
      {hasEnded ? (
        <Button {...readOnly} variant="primary" onClick={onRetry}>
          Retry
        </Button>
      ) : (
        <Button
          disabled={noCancel !== null}
          {...(noCancel === null ? {} : { disabledReason: noCancel })}
          ariaLabel={`Cancel this execution, which is ${status}`}
          onClick={onCancel}
        >
          Cancel
        </Button>
      )}
    </SpaceBetween>
  );
};

interface CancelDialogProps {
  readonly executionId: string;
  readonly onClose: (message: string | null) => void;
}

/** Asks before it cancels, since that can't be undone. */
export const CancelDialog = ({ executionId, onClose }: CancelDialogProps): ReactNode => {
  const cancel = useChange('POST /api/admin/executions/{executionId}/cancel');
  return (
    <Confirm
      title="Cancel this execution?"
      action="Cancel the execution"
      leave="Let it continue"
      isBusy={cancel.isPending}
      onConfirm={() =>
        cancel.mutate(
          { params: { executionId } },
          { onSuccess: ({ stopped }) => onClose(describeCancelled(stopped !== false)) },
        )
      }
      onCancel={() => onClose(null)}
    >
      <SpaceBetween size="m">
        <Box>
          It ends at its next step. What its nodes have done is not undone, and its approval pages stop
          working. It can be retried afterwards.
        </Box>
        {cancel.error !== null && <ProblemAlert error={cancel.error} />}
      </SpaceBetween>
    </Confirm>
  );
};

const describeCancelled = (isStopped: boolean): string =>
  isStopped
    ? 'The execution is cancelled.'
    : 'The execution is cancelled. Its process could not be stopped, and ends when it resumes.';
