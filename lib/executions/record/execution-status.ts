import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/**
 * `accepted`: stored, not started. `waiting`: suspended until a time, an answer or the next attempt. The last four are
 * final.
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

/** What operators look for: the store finds these apart from the others. */
export const hasEndedBadly = (status: ExecutionStatus): boolean => isFinal(status) && status !== 'succeeded';

/** `inline` executions run within the request; their caller waits. */
export type ExecutionMode = 'inline' | BackgroundMode;
