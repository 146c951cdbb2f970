import type { ExecutionLimits } from '../../engine/session.ts';
import type { WorkflowSettings } from '../../workflows/definition/definition.ts';
import type { ExecutionMode, ExecutionStatus } from '../record/execution-store.ts';

const DEFAULTS = { maxNodeRuns: 100_000, maxOutputBytes: 32 * 1024 * 1024 };

/** Below the limits of API Gateway (30 s), Lambda (15 min) and durable executions (1 year). */
const TIMEOUT_SECONDS: Record<ExecutionMode, number> = { inline: 25, express: 840, durable: 31_536_000 };

/** The limits that the workflow sets, within those of the mode. */
export const computeLimits = (
  settings: WorkflowSettings = {},
  mode: ExecutionMode,
  timeLimitMs = Number.POSITIVE_INFINITY,
): ExecutionLimits => {
  const { maxNodeRuns, maxOutputBytes, timeoutSeconds } = {
    ...DEFAULTS,
    timeoutSeconds: TIMEOUT_SECONDS[mode],
    ...settings,
  };
  return { timeoutMs: Math.min(timeoutSeconds * 1_000, timeLimitMs), maxNodeRuns, maxOutputBytes };
};

/** Whether the record of an execution keeps the data of its nodes. */
export const keepsData = (
  { recordData }: WorkflowSettings = {},
  mode: ExecutionMode,
  hasFailed: boolean,
): boolean => {
  const rule = recordData ?? (mode === 'durable' ? 'always' : 'onFailure');
  return rule === 'always' || (rule === 'onFailure' && hasFailed);
};

/** Covers the longest process; for an express run three of them, with Lambda's delays between its retries. */
export const RUNNING_LEASE_MS: Readonly<Record<ExecutionMode, number>> = {
  inline: 20 * 60_000,
  durable: 20 * 60_000,
  express: 60 * 60_000,
};
/** The engine answers 30 questions a second for a status: in a day, a sweep asks for 1.5 million. A run that is lost has a dead letter. */
const WAITING_LEASE_MS = 24 * 3_600_000;

/**
 * How long after its dispatch an execution that has not begun is dispatched again. By then Lambda has given up its event
 * (`maximumEventAge` of `runDurable`): another start would only be added to a queue that is too long already.
 */
export const ACCEPTED_LEASE_MS = 15 * 60_000;

/** @returns when the lease expires: while the execution waits, no later than its timeout */
export const computeLease = (
  status: ExecutionStatus,
  mode: ExecutionMode,
  now: number,
  endsAt: number,
): number => (status === 'waiting' ? Math.min(now + WAITING_LEASE_MS, endsAt) : now + RUNNING_LEASE_MS[mode]);
