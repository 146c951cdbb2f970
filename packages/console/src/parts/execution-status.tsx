import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';

const LOOKS: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  accepted: ['pending', 'Accepted'],
  running: ['in-progress', 'Running'],
  waiting: ['pending', 'Waiting'],
  succeeded: ['success', 'Succeeded'],
  failed: ['error', 'Failed'],
  timedOut: ['error', 'Timed out'],
  cancelled: ['stopped', 'Cancelled'],
  skipped: ['stopped', 'Skipped'],
  passedThrough: ['info', 'Passed through'],
  paused: ['stopped', 'Held: paused'],
  concurrency: ['pending', 'Held: concurrency'],
};

/** A status as people read it. */
export const nameStatus = (status: string): string => LOOKS[status]?.[1] ?? status;

/** Statuses to choose from. */
export const toStatusOptions = (statuses: readonly string[]) =>
  statuses.map((value) => ({ value, label: nameStatus(value) }));

interface ExecutionStatusProps {
  /** Of an execution, or of a node's run. */
  readonly status: string;
  /** Why an accepted one does not start; absent unless it is held. */
  readonly held?: string | undefined;
}

export const ExecutionStatus = ({ status, held }: ExecutionStatusProps): ReactNode => {
  const [type, text] = LOOKS[held ?? status] ?? ['info', status];
  return <StatusIndicator type={type}>{text}</StatusIndicator>;
};
