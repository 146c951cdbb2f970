import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { type ReactNode, useState } from 'react';
import { useChange, useIdempotencyKey } from '../../api/use-api.ts';
import { AppLink } from '../../parts/app-link.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { Execution } from './execution-table.tsx';

interface RetrySelectedProps {
  readonly executions: readonly Execution[];
  readonly onClose: () => void;
}

interface Outcome {
  readonly executionId: string;
  /** The execution that retries it, or why there is none. */
  readonly retriedBy: string | null;
  readonly problem: string | null;
}

/** Asks, then retries the selected executions from their starts, one after the other, and says what became of each. */
export const RetrySelected = ({ executions, onClose }: RetrySelectedProps): ReactNode => {
  const [chosen] = useState(executions);
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const retry = useChange('POST /api/admin/executions/{executionId}/retry');
  const key = useIdempotencyKey(null);
  const isDone = outcomes?.length === chosen.length;

  const retryAll = async () => {
    setOutcomes([]);
    const call = { body: {}, headers: { 'idempotency-key': key } };
    for (const { executionId } of chosen) {
      const outcome = await retry.mutateAsync({ ...call, params: { executionId } }).then(
        (answer): Outcome => ({ executionId, retriedBy: answer.executionId, problem: null }),
        (error: Error): Outcome => ({ executionId, retriedBy: null, problem: error.message }),
      );
      setOutcomes((all) => [...(all ?? []), outcome]);
    }
  };

  return (
    <Confirm
      title={chosen.length === 1 ? 'Retry this execution' : `Retry ${chosen.length} executions`}
      action={isDone ? 'Done' : 'Retry'}
      isBusy={outcomes !== null && !isDone}
      onConfirm={() => (isDone ? onClose() : void retryAll())}
      onCancel={onClose}
    >
      <SpaceBetween size="s">
        <Box variant="p">
          Each starts again as a new execution, from its trigger, with the same request and in the same
          version. What its nodes have done is done once more: mails are sent again, requests made again.
        </Box>
        <div role="status">
          {outcomes?.map(({ executionId, retriedBy, problem }) => (
            <div key={executionId} className="any-text">
              {retriedBy === null ? (
                <StatusIndicator type="error" wrapText={true}>
                  {executionId}: {problem}
                </StatusIndicator>
              ) : (
                <StatusIndicator type="success" wrapText={true}>
                  {executionId}: retried by{' '}
                  <AppLink to={`/executions/${encodeURIComponent(retriedBy)}`}>{retriedBy}</AppLink>
                </StatusIndicator>
              )}
            </div>
          ))}
        </div>
      </SpaceBetween>
    </Confirm>
  );
};
