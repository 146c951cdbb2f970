import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { BackgroundMode } from '../workflows/definition.ts';

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
export type OpenStatus = 'accepted' | 'running' | 'waiting';
export type FinalStatus = Exclude<ExecutionStatus, OpenStatus>;

export const isFinal = (status: ExecutionStatus): status is FinalStatus =>
  status !== 'accepted' && status !== 'running' && status !== 'waiting';

/** Where an execution runs: `inline` in the function that took the request, whose caller waits. */
export type ExecutionMode = 'inline' | BackgroundMode;

/** An error as records and answers show it: no stack, no cause. */
export interface NodeFailure {
  readonly nodeId: string;
  readonly name: string;
  /** At most 1,000 characters. */
  readonly message: string;
}

/** What one run of one node came to. In a loop a node has one such entry per turn. */
export interface NodeRecord {
  readonly nodeId: string;
  /** Within which run inside of the run, such as `each/3`; absent at the top. */
  readonly within?: string;
  readonly type: string;
  /** `running` and `waiting` only while the execution is open. */
  readonly status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'passedThrough';
  readonly iteration: number;
  /** How many were begun; of an open node, the one that it is at or has last been at. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly failure?: NodeFailure;
  /** What went in, and what came out by output: the data itself in the engine, a bounded and redacted view in a record. */
  readonly input?: JsonValue;
  readonly outputs?: JsonValue;
}

/** What the engine makes of a plan and an input. Deterministic for deterministic nodes, whatever finished first. */
export interface ExecutionResult {
  readonly status: Exclude<FinalStatus, 'cancelled'>;
  /** In the order in which the nodes were started; what ran inside of a node follows it. */
  readonly nodes: readonly NodeRecord[];
  /** Output of the node that ran last; `{}` when it delivered nothing. */
  readonly output: JsonObject;
  /** What the first node that emitted on `response` emitted there; null when none did. */
  readonly response: JsonObject | null;
  /** Why it failed or timed out; null when it succeeded. */
  readonly failure: NodeFailure | null;
}
