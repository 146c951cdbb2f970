import type { Static } from 'typebox';
import type { JsonObject, JsonValue } from './json.ts';
import type { LentCredential, Logger, Services } from './services.ts';

/** When a failed node is tried again. Only for actions that are neither pure nor control nodes. */
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

/** The execution that a node belongs to, the same for every node and attempt. */
export interface ExecutionInfo {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** The trigger that fired. `byHand` if an operator started it without its usual event. */
  readonly trigger: { readonly nodeId: string; readonly type: string; readonly byHand?: true };
  /** When the execution started; ISO 8601 in UTC with milliseconds. */
  readonly startedAt: string;
  /** Name of the stage that it runs on, such as `production`. */
  readonly stage: string;
  /** Trace context of the request (W3C Trace Context); absent if the request had none. */
  readonly traceparent?: string;
}

export interface NodeContext {
  readonly execution: ExecutionInfo;
  /** Number of the attempt, counted from 1. */
  readonly attempt: number;
  /** How often this node has already run in this execution; 0 outside loops. */
  readonly iteration: number;
  /** The data of each connection, unmerged, in connection order; empty for a trigger. */
  readonly inputs: readonly DeliveredInput[];
  readonly logger: Logger;
  /** The signal that is aborted when the attempt's time is up; pass it to every call that can be cancelled. */
  readonly signal: AbortSignal;
  /**
   * The trace context for what the node sends, so that receivers appear below the node: with tracing, its own span. Absent
   * without tracing: send that of the execution, if there is one.
   */
  readonly traceparent?: string | undefined;
  /** Returns the milliseconds left for this attempt. */
  remainingMs(): number;
  readonly services: Services;
  /** The credential that the node's `credentialId` names; null if there is none, and for triggers. */
  readonly credential: LentCredential | null;
  /**
   * Key of the node run, `executionId/nodeId/iteration`: the same in every attempt, even after a crash. Send it as
   * `Idempotency-Key`, so that the receiver recognises a repeated request.
   */
  readonly idempotencyKey: string;
  /** Operations for handles with `control`; null for all others. */
  readonly control: RunControl | null;
  /**
   * Counts what the attempt uses, such as the tokens of a model. The node's record shows the totals of its last attempt
   * as `usage`, even if the node fails and if no data is recorded. `microDollars`, what others charge for the attempt in
   * millionths of a US dollar, is part of the cost of the execution; names that end in `Tokens` are added up for it.
   * @param amounts - added up by name: at most 20 names made of `A-Z a-z 0-9 _ -`, with amounts of at least 0
   * @throws TypeError for any other name or amount
   */
  addUsage(amounts: Usage): void;
}

/** Amounts by name, such as `{ inputTokens: 120 }`. */
export type Usage = Readonly<Record<string, number>>;

/** The answer to a callback; null if none came in time. */
export type CallbackAnswer = { readonly value: JsonValue } | null;

/** What the page of a callback URL shows and asks for. */
export interface Question {
  readonly title?: string;
  /** Markdown, in which HTML is shown as text. */
  readonly text?: string;
  /**
   * JSON Schema of an object with the fields to ask for. If absent, any fields are accepted, and the page asks for a
   * comment.
   */
  readonly fields?: JsonObject;
  readonly askedBy?: string;
}

export interface Callback {
  /** Signed, and valid for one answer. It is a secret, since it needs no other authentication. */
  readonly url: string;
  /** When the callback expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Waits for the answer; a durable run is suspended in the meantime. */
  answer(): Promise<CallbackAnswer>;
}

/** The result of an inner run: of a body or of another workflow. */
export type InnerResult =
  | { readonly output: JsonObject }
  | { readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string } };

/**
 * The operations of a control node. Each result is a checkpoint: in a replay, the node is executed again from its start
 * and gets the same results at once. Therefore it must call the same operations in the same order each time.
 */
export interface RunControl {
  /** @param seconds - above 0; whole seconds in a durable run, which is suspended in the meantime */
  wait(seconds: number): Promise<void>;
  /**
   * Opens a callback URL for one answer.
   * @param question - what its page shows, kept with the pending callback; up to 30,000 characters as JSON
   * @throws Error if the run can't wait for the answer, or the question can't be shown
   */
  openCallback(timeoutSeconds: number, question?: Question): Promise<Callback>;
  /**
   * Runs the node's body, which consists of the nodes that follow its `bodyOutput`, once for each item. A failed body
   * does not stop the others; each body has its own checkpoints.
   * @param items - what `bodyOutput` delivers, one per run
   * @param maxConcurrency - how many may run at once; 1 by default
   */
  runBodies(items: readonly JsonObject[], maxConcurrency?: number): Promise<readonly InnerResult[]>;
  /** Runs another workflow, in the version that is current at the first call. */
  runWorkflow(workflowId: string, input: JsonObject): Promise<InnerResult>;
}

/** Shared by all copies of this module, since a plugin may have its own copy. */
const emissionBrand = Symbol.for('hookloom.Emission');

/** Data on named outputs, made with {@link emit}. A class, so that plain data can't be mistaken for it. */
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

/** The output that begins a body which runs for each item of a list: it delivers `item`, which is `$item` in the body. */
export const EACH_OUTPUT = 'each';

/** The output for failures of a node with `onError: route`. */
export const ERROR_OUTPUT = 'error';

/**
 * Reserved output for the answer `{ status, headers, body, setCookie }` to the caller of a webhook whose `responseMode`
 * is `responseNode`. A string is sent unchanged, a file of the execution as its bytes, any other body as JSON;
 * `setCookie` is a list of values of that header. Only the first answer of an execution is sent.
 */
export const RESPONSE_OUTPUT = 'response';

/** What a node returns: `null` and `undefined` count as an empty object. A value that is not JSON fails the node. */
export type NodeResult = JsonObject | Emission | null | undefined;

/**
 * The code that handles one node type. One instance serves all executions, so it must keep no state between calls. If
 * it throws, the attempt fails; operators see the error's message, so put no secrets in it.
 */
export interface NodeExecutor {
  /** The `type` of the nodes that it handles. */
  getNodeType(): string;
  execute(node: WorkflowNode, input: JsonObject, context: NodeContext): NodeResult | Promise<NodeResult>;
}

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The pattern, for JSON Schema, of the ids of workflows, nodes, credentials and executions. Such ids fit into paths and
 * AWS names.
 */
export const ID_PATTERN = idPattern.source;

export const isId = (value: unknown): value is string => typeof value === 'string' && idPattern.test(value);

/** JSON Schema (draft-07) of one node of a workflow file: its types above are derived from it. */

const retrySchema = {
  type: 'object',
  description: 'Further attempts after a failure',
  additionalProperties: false,
  properties: {
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      description: 'Total number of attempts, including the first; 1 by default, which means no retry',
    },
    intervalSeconds: {
      type: 'number',
      minimum: 0,
      maximum: 86_400,
      description: 'How long to wait before the second attempt; 1 by default',
    },
    backoffRate: {
      type: 'number',
      minimum: 1,
      maximum: 10,
      description: 'Factor between one delay and the next; 2 by default',
    },
    maxDelaySeconds: {
      type: 'number',
      minimum: 0,
      maximum: 86_400,
      description: 'The longest delay; 60 by default',
    },
  },
} as const;

export const nodeSettingsSchema = {
  type: 'object',
  description: 'Retries, time limit, and what happens after a failure',
  additionalProperties: false,
  properties: {
    retry: retrySchema,
    // A Lambda function ends after 900 seconds and needs the rest for itself.
    timeoutSeconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 840,
      description: 'How long one attempt may take; 30 by default',
    },
    onError: {
      enum: ['fail', 'continue', 'route'],
      description:
        'After the last attempt has failed: fail (the default) ends the execution; continue delivers the input and error on main; route delivers them on the output error',
    },
    atMostOnce: {
      type: 'boolean',
      description:
        'An attempt that a crash interrupted fails, instead of being repeated with the same idempotency key; only with a single attempt',
    },
    maxIterations: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description: 'For the first node of a loop: how often the loop may run; 100 by default',
    },
  },
} as const;

export const nodeSchema = {
  type: 'object',
  required: ['id', 'type'],
  additionalProperties: false,
  properties: {
    // Without a spread, so that bundles which use only the types leave the schema out.
    id: {
      type: 'string',
      pattern: ID_PATTERN,
      description: 'Up to 64 of A-Z a-z 0-9 _ -; unique in the workflow',
    },
    type: { type: 'string', minLength: 1, description: 'The node type' },
    name: { type: 'string', description: 'A name for people' },
    parameters: { type: 'object' },
    settings: nodeSettingsSchema,
    credentialId: { type: 'string', pattern: ID_PATTERN, description: 'The id of its credential' },
    disabled: {
      type: 'boolean',
      description: 'If true, the input is passed through; a disabled trigger never fires',
    },
    notes: { type: 'string', description: 'Notes for people' },
    position: { type: ['object', 'array'], description: 'The place in a graphical editor' },
  },
} as const;

/** The type of the values that a JSON Schema (`as const`) allows, read-only at every depth. */
export type FromSchema<Schema> = Immutable<Static<Schema & object>>;

type Immutable<Value> = { readonly [Key in keyof Value]: Immutable<Value[Key]> };
