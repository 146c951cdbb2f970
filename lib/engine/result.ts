import type { JsonObject, JsonValue } from '../contract/json.ts';

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

/**
 * Names a run of a node: its step, its checkpoint, its idempotency key.
 *
 * @returns `node/iteration`, after the key of the run around it
 */
export const nodeKeyOf = ({
  nodeId,
  iteration,
  within = '',
}: Pick<NodeRecord, 'nodeId' | 'iteration' | 'within'>): string =>
  within === '' ? `${nodeId}/${iteration}` : `${within}/${nodeId}/${iteration}`;

/** What the engine makes of a plan and an input. Deterministic for deterministic nodes, whatever finished first. */
export interface ExecutionResult {
  readonly status: 'succeeded' | 'failed' | 'timedOut';
  /** In the order in which the nodes were started; what ran inside of a node follows it. */
  readonly nodes: readonly NodeRecord[];
  /** Output of the node that ran last; `{}` when it delivered nothing. */
  readonly output: JsonObject;
  /** What the first node that emitted on `response` emitted there; null when none did. */
  readonly response: JsonObject | null;
  /** Why it failed or timed out; null when it succeeded. */
  readonly failure: NodeFailure | null;
}
