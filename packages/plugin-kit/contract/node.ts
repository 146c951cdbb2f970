import type { FromSchema } from './from-schema.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { LentCredential } from './lent-credential.ts';
import type { nodeSchema, nodeSettingsSchema, retrySchema } from './node-schema.ts';
import type { Logger, Services } from './services.ts';

/** When a failed node is tried again. Only for actions that are not pure and do not steer the run. */
export type RetrySettings = FromSchema<typeof retrySchema>;

export type NodeSettings = FromSchema<typeof nodeSettingsSchema>;

/** A node of a workflow as it is stored. An executor gets it with every expression in `parameters` resolved. */
export interface WorkflowNode extends FromSchema<typeof nodeSchema> {
  readonly parameters: JsonObject;
  readonly position?: JsonObject | readonly number[];
}

/** Data that one connection delivered to a node. */
export interface DeliveredInput {
  readonly sourceNodeId: string;
  readonly sourceOutput: string;
  readonly targetInput: string;
  readonly data: JsonObject;
}

/** The execution that a node is part of: the same for every node and attempt. */
export interface ExecutionInfo {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** The trigger that fired. `byHand` when an operator started it, without what fires it otherwise. */
  readonly trigger: { readonly nodeId: string; readonly type: string; readonly byHand?: true };
  /** ISO 8601, UTC, milliseconds. */
  readonly startedAt: string;
  /** From the request (W3C Trace Context); absent when the request had none. */
  readonly traceparent?: string;
}

export interface NodeContext {
  readonly execution: ExecutionInfo;
  /** Counted from 1. */
  readonly attempt: number;
  /** How often this node ran before in this execution; 0 outside of loops. */
  readonly iteration: number;
  /** The data of each connection, unmerged, in connection order; empty for a trigger. */
  readonly inputs: readonly DeliveredInput[];
  readonly logger: Logger;
  /** Aborted when the attempt's time is up; pass it to every call that can be cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds left for this attempt. */
  remainingMs(): number;
  readonly services: Services;
  /** What the node's `credentialId` names; null without one, and for triggers. */
  readonly credential: LentCredential | null;
  /**
   * `executionId/nodeId/iteration`: the same in every attempt, also after a crash. Sent as `Idempotency-Key`, so that
   * the receiver recognises a repeated request.
   */
  readonly idempotencyKey: string;
  /** For handles with `control`; null for all others. */
  readonly control: RunControl | null;
  /**
   * Counts what the attempt uses, such as the tokens of a model. The record of the node shows the totals of its last
   * attempt as `usage`, also when the node fails and when no data is recorded.
   *
   * @param amounts - added up by name: at most 20 names of `A-Z a-z 0-9 _ -`, with amounts of 0 and above
   * @throws TypeError for any other name or amount
   */
  addUsage(amounts: Usage): void;
}

/** Amounts by name, such as `{ inputTokens: 120 }`. */
export type Usage = Readonly<Record<string, number>>;

/** The answer to a callback; null when none came in time. */
export type CallbackAnswer = { readonly value: JsonValue } | null;

/** What the page of a callback URL shows, and asks for. */
export interface Question {
  readonly title?: string;
  /** Markdown, in which HTML is text. */
  readonly text?: string;
  /** JSON Schema of an object: the fields that are asked for. Absent: any, and a comment on the page. */
  readonly fields?: JsonObject;
  readonly askedBy?: string;
}

export interface Callback {
  /** Signed, valid for one answer. A secret: it needs no other authentication. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Waits for the answer; a durable run is suspended meanwhile. */
  answer(): Promise<CallbackAnswer>;
}

/** Result of a run within a run: a body or a workflow. */
export type InnerResult =
  | { readonly output: JsonObject }
  | { readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string } };

/**
 * Operations with which a node steers its run. Each result is a checkpoint: in a replay the node is executed again
 * from its start and gets the same results at once. So it must call the same operations in the same order each time.
 */
export interface RunControl {
  /** @param seconds - above 0; whole seconds in a durable run, which is suspended meanwhile */
  wait(seconds: number): Promise<void>;
  /**
   * Opens a callback URL for one answer.
   *
   * @param question - what its page shows, kept with the pending callback; up to 30,000 characters as JSON
   * @throws Error where the run can't wait for the answer, and for a question that can't be shown
   */
  openCallback(timeoutSeconds: number, question?: Question): Promise<Callback>;
  /**
   * Runs the node's body, the nodes behind its `bodyOutput`, once for each item. A failed body does not stop the others;
   * each body has its own checkpoints.
   * @param items - what `bodyOutput` delivers, one per run
   * @param maxConcurrency - how many may run at once; 1 by default
   */
  runBodies(items: readonly JsonObject[], maxConcurrency?: number): Promise<readonly InnerResult[]>;
  /** Runs another workflow, in the version that is current at the first call. */
  runWorkflow(workflowId: string, input: JsonObject): Promise<InnerResult>;
}

/** Shared by all copies of this module: a plugin may bring one of its own. */
const emissionBrand = Symbol.for('hookloom.Emission');

/** Data on named outputs. A class, so that no plain data is taken for one: made with {@link emit}. */
export class Emission {
  readonly [emissionBrand] = true;
  readonly outputs: Readonly<Record<string, JsonObject>>;
  static [Symbol.hasInstance](value: unknown): value is Emission {
    return typeof value === 'object' && value !== null && emissionBrand in value;
  }
  constructor(outputs: Readonly<Record<string, JsonObject>>) {
    this.outputs = outputs;
  }
}

/**
 * Delivers data on the named outputs only: `emit({ true: input })`; `emit({})` delivers nothing.
 * A node that returns a plain object delivers it on the output `main`.
 */
export const emit = (outputs: Readonly<Record<string, JsonObject>>): Emission => new Emission(outputs);

/** The output of a node that returns a plain object, and the default `sourceOutput` of a connection. */
export const MAIN_OUTPUT = 'main';

/** The output for failures of a node with `onError: route`. */
export const ERROR_OUTPUT = 'error';

/**
 * Reserved output for the answer to the caller, `{ status, headers, body, setCookie }`, of a webhook whose `responseMode`
 * is `responseNode`: a text is sent as it is, a file of the execution as its bytes, any other body as JSON; `setCookie` is a
 * list of values of that header. The first one of an execution counts.
 */
export const RESPONSE_OUTPUT = 'response';

/** `null` and `undefined` count as an empty object. A value that is not JSON fails the node. */
export type NodeResult = JsonObject | Emission | null | undefined;

/**
 * The code that handles one node type. One instance serves all executions, so it keeps no state between calls.
 * A throw fails the attempt; operators see the error's message, so put no secrets in it.
 */
export interface NodeExecutor {
  /** The `type` of the nodes that it handles. */
  getNodeType(): string;
  execute(node: WorkflowNode, input: JsonObject, context: NodeContext): NodeResult | Promise<NodeResult>;
}
