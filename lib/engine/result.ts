import type { JsonObject, JsonValue, Usage } from '@hookloom/plugin-kit';

/** An error as records and answers show it, without stack and cause. */
export interface NodeFailure {
  readonly nodeId: string;
  readonly name: string;
  /** Message of the error, at most 1,000 characters. */
  readonly message: string;
  /**
   * Present in the failure of a node but not of an execution, since callers and completion events receive the latter.
   * In a stored record it is a view, like `input`.
   */
  readonly details?: JsonValue;
}

/** The next attempt at a node. */
export interface PlannedRetry {
  /** When it starts, in milliseconds since the epoch. */
  readonly at: number;
  /** Why the attempt before it failed. */
  readonly failure: Pick<NodeFailure, 'name' | 'message'>;
}

/** When one attempt at a node ran, in milliseconds since the epoch. */
export interface AttemptTime {
  /** 1 for the first attempt. */
  readonly number: number;
  readonly startedAt: number;
  /** Null if it had not ended when the node did, or runs. */
  readonly endedAt: number | null;
}

/** A wait of a control node, for a time or for an answer, in milliseconds since the epoch. */
export interface WaitTime {
  readonly kind: 'time' | 'callback';
  readonly startedAt: number;
  /** Null if it had not ended when the node did, or lasts. */
  readonly endedAt: number | null;
}

/** The items of a node's body that have failed. */
export interface FailedItems {
  readonly count: number;
  /** The positions of the first ones in the list, from 0. */
  readonly indexes: readonly number[];
}

/** One run of one node; in a loop a node has one per iteration. */
export interface NodeRecord {
  readonly nodeId: string;
  /** Prefix of the inner run, such as `each/0/3`; absent in the workflow's own run. */
  readonly within?: string;
  readonly type: string;
  /** The node's status; `running` and `waiting` occur only while the execution is open. */
  readonly status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'passedThrough';
  readonly iteration: number;
  /** How many attempts have started. */
  readonly attempts: number;
  /**
   * When its attempts ran, in their order, once a second one is made or planned; absent if it has only one. An attempt
   * whose process crashed may be missing.
   */
  readonly attemptTimes?: readonly AttemptTime[];
  /** Its first waits, in their order; absent if it has not waited. */
  readonly waits?: readonly WaitTime[];
  /** When the node started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly failure?: NodeFailure;
  /** Totals of the last attempt, by name: see `NodeContext.addUsage`. Absent if the node has counted nothing. */
  readonly usage?: Usage;
  /** Names of the callbacks that the node waits for, or still waited for when it ended; absent if there are none. */
  readonly callbacks?: readonly string[];
  /** The attempt that an open node waits for; absent if none. */
  readonly retry?: PlannedRetry;
  /** Absent if no item of its body has failed. */
  readonly failedItems?: FailedItems;
  /**
   * In the engine the data itself, in a stored record a bounded and redacted view. `outputs` maps each output to its
   * data.
   */
  readonly input?: JsonValue | undefined;
  readonly outputs?: JsonValue | undefined;
  /** Only in a stored record: what the node's expressions read of data that is too large for its view, by path. */
  readonly reads?: JsonObject;
}

/** The result of an execution. If the nodes are deterministic, so is the result, whichever node finishes first. */
export interface ExecutionResult {
  readonly status: 'succeeded' | 'failed' | 'timedOut';
  /** The node runs in the order in which they started; inner runs follow their node. */
  readonly nodes: readonly NodeRecord[];
  /** The output of the last node, or of all end nodes by their ids; `{}` if nothing was delivered. */
  readonly output: JsonObject;
  /** The first data emitted on the output `response`; null if there is none. */
  readonly response: JsonObject | null;
  /** Why the node failed or timed out; null when it succeeded. */
  readonly failure: NodeFailure | null;
}

export const isOpen = ({ status }: NodeRecord): boolean => status === 'running' || status === 'waiting';

/** Whether items of the node's body have failed, so that they can be retried alone. */
export const hasFailedItems = ({ failedItems }: NodeRecord): boolean => failedItems !== undefined;

/** Finds the node that an execution has reached, which is the last open one. */
export const findOpenNode = (nodes: readonly NodeRecord[]): NodeRecord | undefined => nodes.findLast(isOpen);

/** Fails the open nodes of an execution that ends early, with the reason for that. */
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
