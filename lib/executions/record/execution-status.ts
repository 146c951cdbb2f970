import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/**
 * How an execution stands: `accepted` (stored, not begun), `running`, `waiting` (for a time, an answer or another
 * attempt, in no process); the others are final and never change.
 */
export const EXECUTION_STATUSES = [
  'accepted',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timedOut',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
type OpenStatus = 'accepted' | 'running' | 'waiting';
export type FinalStatus = Exclude<ExecutionStatus, OpenStatus>;

export const isFinal = (status: ExecutionStatus): status is FinalStatus =>
  status !== 'accepted' && status !== 'running' && status !== 'waiting';

/** Where an execution runs: `inline` in the function that took the request, whose caller waits. */
export type ExecutionMode = 'inline' | BackgroundMode;
