import type { JsonObject } from './json.ts';
import type { Logger, Services } from './services.ts';

/** How often and how far apart a failed node is tried again. Only for nodes that touch the outside. */
export interface RetrySettings {
  /** Attempts in all, the first one included; 1 (the default) never tries again. */
  readonly maxAttempts?: number;
  /** Seconds before the second attempt; 1 by default. */
  readonly intervalSeconds?: number;
  /** Each further delay is this many times the one before; 2 by default. */
  readonly backoffRate?: number;
  /** No delay is longer than this many seconds; 60 by default. */
  readonly maxDelaySeconds?: number;
}

/**
 * What happens when a node has failed for good: `fail` (the default) ends the execution; `continue` goes on
 * with the node's input as its output; `route` delivers the input plus `error` on the output `error`.
 */
export type OnError = 'fail' | 'continue' | 'route';

export interface NodeSettings {
  readonly retry?: RetrySettings;
  /** Seconds one attempt may take; 30 by default. */
  readonly timeoutSeconds?: number;
  readonly onError?: OnError;
  /** For the node that a loop leads back to: how often the loop may run; 100 by default. */
  readonly maxIterations?: number;
}

/** One step of a workflow, as it is stored. An executor gets it with every expression in `parameters` resolved. */
export interface WorkflowNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly parameters: JsonObject;
  readonly settings?: NodeSettings;
  readonly credentialId?: string;
  readonly disabled?: boolean;
  readonly notes?: string;
  readonly position?: JsonObject | readonly number[];
}

/** What one connection delivered to the node, in connection order. */
export interface DeliveredInput {
  readonly sourceNodeId: string;
  readonly sourceOutput: string;
  readonly targetInput: string;
  readonly data: JsonObject;
}

/** The run that a node is part of. The same for every node and every attempt, except `attempt`. */
export interface ExecutionInfo {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** The trigger that fired. */
  readonly trigger: { readonly nodeId: string; readonly type: string };
  /** ISO 8601, UTC, milliseconds. */
  readonly startedAt: string;
}

export interface NodeContext {
  readonly execution: ExecutionInfo;
  /** 1 for the first try of this node, 2 for the second, … */
  readonly attempt: number;
  /** How often this node had its turn before in this execution; 0 outside of loops. Names the run: it never repeats. */
  readonly iteration: number;
  /** What each connection delivered, unmerged; empty for a trigger. */
  readonly inputs: readonly DeliveredInput[];
  readonly logger: Logger;
  /** Aborted when the attempt's time is up; hand it to whatever can be cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds left for this attempt. */
  remainingMs(): number;
  readonly services: Services;
}

/** Data on named outputs: made with {@link emit}, never by hand, so that no data can pass for it. */
export class Emission {
  readonly outputs: Readonly<Record<string, JsonObject>>;
  constructor(outputs: Readonly<Record<string, JsonObject>>) {
    this.outputs = outputs;
  }
}

/**
 * Delivers data on the named outputs and on no other: `emit({ true: input })`; `emit({})` delivers nothing.
 * A node that returns a plain map delivers it on the output `main`.
 */
export const emit = (outputs: Readonly<Record<string, JsonObject>>): Emission => new Emission(outputs);

/** The output of a node that returns a plain map, and the one that a connection starts from unless it says otherwise. */
export const MAIN_OUTPUT = 'main';

/** The output on which a node with `onError: route` delivers its failure. */
export const ERROR_OUTPUT = 'error';

/**
 * Reserved: what a node emits on this output, `{ status, headers, body }`, answers the caller of a webhook
 * whose `responseMode` is `responseNode`. The first one of an execution counts.
 */
export const RESPONSE_OUTPUT = 'response';

/** `null` and `undefined` count as an empty map. Anything that JSON can't carry fails the node. */
export type NodeResult = JsonObject | Emission | null | undefined;

/**
 * The code that handles one node type. One instance serves all executions: keep no state between calls.
 * A throw fails the attempt; the error's message is shown to operators, so put no secrets in it.
 */
export interface NodeExecutor {
  /** Equals the `type` of the nodes that it handles. */
  getNodeType(): string;
  execute(node: WorkflowNode, input: JsonObject, context: NodeContext): NodeResult | Promise<NodeResult>;
}
