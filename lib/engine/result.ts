import type { JsonObject, JsonValue, Usage } from '@hookloom/plugin-kit';

/** An error as records and answers show it: no stack, no cause. */
export interface NodeFailure {
  readonly nodeId: string;
  readonly name: string;
  /** At most 1,000 characters. */
  readonly message: string;
  /**
   * Only in the failure of a node, not of an execution, which completion events and callers get. A view in a
   * stored record, like `input`.
   */
  readonly details?: JsonValue;
}

/** One run of one node; in a loop a node has one per iteration. */
export interface NodeRecord {
  readonly nodeId: string;
  /** Prefix of the inner run, such as `each/0/3`; absent in the workflow's own run. */
  readonly within?: string;
  readonly type: string;
  /** `running` and `waiting` only while the execution is open. */
  readonly status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'passedThrough';
  readonly iteration: number;
  /** How many attempts were started. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly failure?: NodeFailure;
  /** Totals of the last attempt, by name: see `NodeContext.addUsage`. Absent when the node has counted nothing. */
  readonly usage?: Usage;
  /** Names of the callbacks that it waits for, or waited for when it ended without it; absent for none. */
  readonly callbacks?: readonly string[];
  /** The data itself in the engine, a bounded and redacted view in a stored record. `outputs` is a map by output. */
  readonly input?: JsonValue;
  readonly outputs?: JsonValue;
}

/**
 * Identifies a run of a node within its execution: names its step and checkpoint, and is part of its idempotency key.
 *
 * @returns `node/iteration`, after the prefix of the inner run
 */
export const nodeKeyOf = ({
  nodeId,
  iteration,
  within = '',
}: Pick<NodeRecord, 'nodeId' | 'iteration' | 'within'>): string =>
  within === '' ? `${nodeId}/${iteration}` : `${within}/${nodeId}/${iteration}`;

/** Deterministic for deterministic nodes, whatever finishes first. */
export interface ExecutionResult {
  readonly status: 'succeeded' | 'failed' | 'timedOut';
  /** In the order of their start; inner runs follow their node. */
  readonly nodes: readonly NodeRecord[];
  /** Output of the last node, or of all end nodes by their ids; `{}` when it delivered nothing. */
  readonly output: JsonObject;
  /** What was first emitted on the output `response`; null when no node did. */
  readonly response: JsonObject | null;
  /** Why it failed or timed out; null when it succeeded. */
  readonly failure: NodeFailure | null;
}

export const isOpen = ({ status }: NodeRecord): boolean => status === 'running' || status === 'waiting';

/** Finds the node that an execution has reached: the last open one. */
export const findOpenNode = (nodes: readonly NodeRecord[]): NodeRecord | undefined => nodes.findLast(isOpen);

/** Fails the open nodes of an execution that ends early, for the same reason. */
export const failOpenNodes = (
  nodes: readonly NodeRecord[],
  endedAt: number,
  { name, message }: Pick<NodeFailure, 'name' | 'message'>,
): readonly NodeRecord[] =>
  nodes.map((node) => {
    if (!isOpen(node)) return node;
    const { nodeId, startedAt } = node;
    const durationMs = Math.max(0, endedAt - startedAt);
    return { ...node, status: 'failed', durationMs, failure: { nodeId, name, message } };
  });
