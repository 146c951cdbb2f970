import ProgressBar from '@cloudscape-design/components/progress-bar';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';
import { describeCounts } from './describe-bulk-retry.ts';

export type BulkRetrySummary = Answer<'GET /api/admin/bulk-retries'>['bulkRetries'][number];

const LOOKS: Readonly<Record<BulkRetrySummary['state'], readonly [StatusIndicatorProps.Type, string]>> = {
  running: ['in-progress', 'Running'],
  done: ['success', 'Done'],
  stopped: ['error', 'Stopped'],
  cancelled: ['stopped', 'Cancelled'],
};

export const BulkRetryState = ({
  state,
  endedAt,
}: Pick<BulkRetrySummary, 'state' | 'endedAt'>): ReactNode => {
  const [type, text] = LOOKS[state];
  const isEnding = endedAt === null && state !== 'running';
  return <StatusIndicator type={type}>{isEnding ? `${text}; some still run` : text}</StatusIndicator>;
};

/** How many of its executions have been tried, and what became of them. */
export const BulkRetryProgress = ({ counts }: BulkRetrySummary): ReactNode => {
  const { total, remaining, open } = counts;
  const share = total === 0 ? 1 : (total - remaining - open) / total;
  return (
    <ProgressBar
      value={Math.round(share * 100)}
      ariaLabel="Executions that have ended"
      additionalInfo={describeCounts(counts)}
    />
  );
};
