import type { ExecutionLimits } from '../../engine/session.ts';
import type { WorkflowSettings } from '../../workflows/definition/definition.ts';
import type { ExecutionMode, ExecutionStatus } from '../record/execution-store.ts';

const DEFAULTS = { maxNodeRuns: 100_000, maxOutputBytes: 32 * 1024 * 1024 };

/** Below the limits of API Gateway (30 s), Lambda (15 min) and durable executions (1 year). */
const TIMEOUT_SECONDS: Record<ExecutionMode, number> = { inline: 25, express: 840, durable: 31_536_000 };

/** The limits that the workflow sets, capped by those of the mode. */
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

/** Whether an execution's record keeps the data of its nodes. */
export const keepsData = (
  { recordData }: WorkflowSettings = {},
  mode: ExecutionMode,
  hasFailed: boolean,
): boolean => {
  const rule = recordData ?? (mode === 'durable' ? 'always' : 'onFailure');
  return rule === 'always' || (rule === 'onFailure' && hasFailed);
};

/** Covers the longest process; for an express run three of them, including Lambda's delays between retries. */
export const RUNNING_LEASE_MS: Readonly<Record<ExecutionMode, number>> = {
  inline: 20 * 60_000,
  durable: 20 * 60_000,
  express: 60 * 60_000,
};
/**
 * The engine answers 30 status requests a second, so a sweep can ask about 1.5 million executions in a day. A lost run
 * leaves a dead letter.
 */
const WAITING_LEASE_MS = 24 * 3_600_000;

/**
 * How long after its dispatch an execution that has not started is dispatched again. By then Lambda has given up its
 * event (`maximumEventAge` of `runDurable`). Earlier, another start would only lengthen a queue that is already too
 * long.
 */
export const ACCEPTED_LEASE_MS = 15 * 60_000;

/** @returns when the lease expires; for a waiting execution, no later than its timeout */
export const computeLease = (
  status: ExecutionStatus,
  mode: ExecutionMode,
  now: number,
  endsAt: number,
): number => (status === 'waiting' ? Math.min(now + WAITING_LEASE_MS, endsAt) : now + RUNNING_LEASE_MS[mode]);
