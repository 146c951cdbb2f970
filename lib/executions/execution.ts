import type { JsonObject } from '../contract/json.ts';

/** How an execution stands. The first is where it starts; the others are final and never change. */
export type ExecutionStatus = 'running' | 'succeeded' | 'failed' | 'timedOut';
export type FinalStatus = Exclude<ExecutionStatus, 'running'>;

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
  readonly type: string;
  readonly status: 'succeeded' | 'failed' | 'skipped' | 'passedThrough';
  readonly iteration: number;
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly failure?: NodeFailure;
}

/** What the engine makes of a plan and an input. Deterministic for deterministic nodes, whatever finished first. */
export interface ExecutionResult {
  readonly status: FinalStatus;
  /** In the order in which the nodes were started. */
  readonly nodes: readonly NodeRecord[];
  /** Output of the node that ran last; `{}` when it delivered nothing. */
  readonly output: JsonObject;
  /** What the first node that emitted on `response` emitted there; null when none did. */
  readonly response: JsonObject | null;
  /** Why it failed or timed out; null when it succeeded. */
  readonly failure: NodeFailure | null;
}
