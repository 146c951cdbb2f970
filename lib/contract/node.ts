import type { JsonObject, JsonValue } from './json.ts';
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
  /**
   * For nodes that touch the outside: an attempt that a crash interrupted is not made again, it fails. Without it
   * the attempt is made again, under the same idempotency key. Not together with several attempts.
   */
  readonly atMostOnce?: boolean;
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
  /** The place in a trace that the request named (W3C Trace Context); absent when it named none. */
  readonly traceparent?: string;
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
  /**
   * Names this run of this node, `executionId/nodeId/iteration`: the same in every attempt, also after a crash. What
   * a receiver is told as `Idempotency-Key`, so that it can tell a repeated request from a new one.
   */
  readonly idempotencyKey: string;
  /** For handles that steer the run (`control`); null for all others. */
  readonly control: RunControl | null;
}

/** What somebody outside answered to a callback; null when nobody did in time. */
export type CallbackAnswer = { readonly value: JsonValue } | null;

export interface Callback {
  /** Signed, good for one answer. Whoever has it may answer: it is a secret. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Waits for the answer, at no cost in a durable run. */
  answer(): Promise<CallbackAnswer>;
}

/** What a run inside of a run came to. */
export type InnerResult =
  | { readonly output: JsonObject }
  | { readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string } };

/**
 * How a node steers the run that it is part of. Everything asked for here is remembered: when a run goes on after a
 * crash or a wait, the node is executed again from its start and gets the same answers, at once. So it asks for the
 * same things in the same order each time.
 */
export interface RunControl {
  /** @param seconds above 0; whole seconds in a durable run, where waiting costs nothing */
  wait(seconds: number): Promise<void>;
  /** Opens a place where somebody outside can answer once. Rejects where runs can't wait for that. */
  openCallback(timeoutSeconds: number): Promise<Callback>;
  /**
   * Runs the node's body, the nodes behind its `bodyOutput`, once for each of `items`: what that output delivers.
   * All are run, whatever becomes of the others; each is remembered on its own.
   * @param maxConcurrency how many may run side by side; 1 by default
   */
  runBodies(items: readonly JsonObject[], maxConcurrency?: number): Promise<readonly InnerResult[]>;
  /** Runs another workflow, in the version that is current when it is first asked for. */
  runWorkflow(workflowId: string, input: JsonObject): Promise<InnerResult>;
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
