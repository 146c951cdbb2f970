import type { Clock, Files, HttpClient, JsonObject, JsonValue, Logger } from '@hookloom/plugin-kit';
import { type FromSchema, toSchema } from '@hookloom/plugin-kit/host';
import type { CredentialSource } from '../engine/credentials.ts';
import type { ExecutionResult } from '../engine/result.ts';
import type { UploadStore } from '../executions/files/upload-store.ts';
import type { HeldQueues } from '../executions/held-queues.ts';
import type { NewExecution } from '../executions/lifecycle/new-execution.ts';
import type { ExecutionStore, Hold } from '../executions/record/execution-store.ts';
import type { Answer } from '../shared/answer.ts';
import type { Problem } from '../workflows/definition/problem.ts';
import type { Accepted } from './answer-run.ts';
import type { SlotStore } from './limits/slots.ts';
import type { TakeToken } from './limits/token-bucket.ts';
import type { Webhook, WebhookRequest } from './webhook.ts';

/** A webhook request before its body is parsed. */
export interface Arrival {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** The id of the secret that authenticated the caller. Set from the stage `verify` on; null without authentication. */
  readonly secretId?: string | null;
  /** Adds response headers regardless of the outcome. */
  addHeaders(headers: Readonly<Record<string, string | undefined>>): void;
}

/** A request with its body inflated. */
export interface Received extends Arrival {
  /** The request with the body to parse: not compressed, and without `content-encoding`. */
  readonly content: WebhookRequest;
  readonly parsers: BodyParsers;
}

/** Parsers of other layers, with their limits. All of them throw. */
export interface BodyParsers {
  /** @throws AppError `BODY_INVALID` | `BODY_TOO_DEEP` */
  json(text: string): JsonValue;
  /** Applies the limits, except for depth, to a text of many JSON values. @throws AppError `BODY_INVALID` */
  limitJson(text: string): void;
  /** @throws RangeError for text that is not well-formed; the message's subject is `it` */
  xml(text: string): Promise<JsonObject>;
  /** Maximum nesting depth of a body, which `json` checks itself. */
  readonly maxDepth: number;
}

/** A file of a body, in memory; saved once the request has become an execution. */
export interface BodyFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The files of a body, and how to build the body from their values. */
export interface BodyFiles {
  readonly files: readonly BodyFile[];
  /** Makes the body of a request with files. @param values - one for each file, in the same order */
  toBody(values: readonly JsonObject[]): JsonValue;
}

export interface ParsedBody {
  readonly body: JsonValue;
  /** Additional keys for the trigger's output. */
  readonly more?: JsonObject;
  /** The execution that the request starts, if the body belongs to one: replaces the delivery key. */
  readonly executionId?: string;
  /** Parts of the body that become files: `body` has descriptions in their place. */
  readonly files?: BodyFiles;
  /** The delivery key, used if neither the request nor the trigger provides one. */
  readonly deliveryKey?: string;
  /** Compared between repeated deliveries, instead of the body's bytes. */
  readonly deliveryContent?: string;
}

interface Parsed extends Arrival {
  /** The trigger's output. */
  readonly input: JsonObject;
}

/** How long a caller waits for the result of a synchronous webhook. */
interface Waiting {
  readonly limitMs: number;
  /** The run is a background run, which continues after the caller has been answered. */
  readonly isInBackground: boolean;
}

/** A request whose execution is stored and dispatched. */
export interface AcceptedRequest extends Accepted {
  readonly execution: NewExecution;
  /** When the request was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly logger: Logger;
}

/** How a request that passed all checks is answered. */
export interface AnswerStages {
  readonly waiting: Waiting;
  /** Replaces the 202 with `onReceived`. Never throws: the execution is already stored. */
  readonly acknowledge: (accepted: AcceptedRequest) => Promise<Answer | null> | Answer | null;
  /** Replaces the output of the last node as the answer of a run that has finished or emitted its response. */
  readonly present: (run: {
    readonly executionId: string;
    readonly result: ExecutionResult;
    /** Opens the files of the execution. */
    readonly openFiles: () => Pick<Files, 'open'>;
  }) => Promise<Answer | null> | Answer | null;
}

export interface Starting extends Parsed {
  readonly executionId: string;
  /** Whether repeated deliveries map to the same execution, which may then have started already. */
  readonly isRepeatable: boolean;
  /** Whether the execution runs in this process while the caller waits. */
  readonly isInline: boolean;
  /** The hold set by another feature; null if none. */
  readonly held: Hold | null;
}

/**
 * The request stages that a feature takes part in. An answer ends the request: later stages are skipped, and nothing is
 * started. Each stage may throw AppError.
 */
export interface Stages extends Partial<Omit<AnswerStages, 'waiting'>> {
  /** Names, in lower case, of headers with a credential that the feature checks: redacted downstream. */
  readonly secretHeaders?: readonly string[];
  /** The maximum body size, as received and inflated; if features set several, the lowest applies. */
  readonly maxBodyBytes?: number;
  /** Runs before authentication, so it must be cheap. */
  readonly admit?: (arrival: Arrival) => Promise<Answer | null> | Answer | null;
  /** Runs after authentication, on the bytes as received. */
  readonly verify?: (arrival: Arrival) => Promise<Answer | null> | Answer | null;
  /** Judges JSON of a body beside the value that it was parsed to. */
  readonly checkJson?: (text: string, value: JsonValue) => void;
  /** Parses the body differently; null to leave it to the other features. */
  readonly parse?: (received: Received) => Promise<ParsedBody | null> | ParsedBody | null;
  /** Judges a request once its body is parsed: returns an answer, or null to continue. */
  readonly judge?: (parsed: Parsed) => Promise<Answer | null> | Answer | null;
  readonly waiting?: Partial<Waiting>;
  /**
   * Runs after the delivery is claimed, also for repeated ones. Returns why the execution is held; null to dispatch it.
   */
  readonly start?: (starting: Starting) => Promise<Hold | null> | Hold | null;
}

export interface FeaturePorts {
  readonly clock: Clock;
  readonly http: HttpClient;
  /** Credentials that verify a sender's requests: stored in plain, not hashed. */
  readonly credentials: {
    open(
      ...reading: Parameters<CredentialSource['open']>
    ): Promise<Pick<Awaited<ReturnType<CredentialSource['open']>>, 'lend'>>;
  };
  readonly takeToken: TakeToken;
  readonly slots: SlotStore;
  readonly openUploads: () => UploadStore;
  readonly queues: Pick<HeldQueues, 'measure' | 'enter'>;
  readonly executions: Pick<ExecutionStore, 'find'>;
  /** Cancels an execution: see `cancelExecution`. */
  readonly cancelExecution: (executionId: string) => Promise<unknown>;
}

/** Opens the features of a webhook, once per workflow version. @throws AppError `WEBHOOK_MISCONFIGURED` */
export type OpenFeatures = (webhook: Webhook) => Promise<OpenStages>;

/** The stages of all features of a webhook. */
export type OpenStages = Required<Omit<Stages, keyof AnswerStages>> & AnswerStages;

const nothing = () => null;

/** The stages of a webhook without features, with no time limit other than the run's own. */
export const withoutFeatures: OpenStages = {
  secretHeaders: [],
  maxBodyBytes: Number.POSITIVE_INFINITY,
  admit: nothing,
  verify: nothing,
  checkJson: nothing,
  parse: nothing,
  judge: nothing,
  waiting: { limitMs: Number.POSITIVE_INFINITY, isInBackground: false },
  acknowledge: nothing,
  present: nothing,
  start: nothing,
};

export interface FeatureContext {
  readonly parameters: JsonObject;
}

interface Declaration<Name extends string, Value> {
  /** The parameter of the trigger that switches the feature on; while it is absent, the feature is off. */
  readonly name: Name;
  /** JSON pointers, within the parameter's value, to strings that are expressions without braces. */
  readonly expressions?: readonly string[];
  /** JSON pointers, within the parameter's value, to parts that may contain templates over the request. */
  readonly templates?: readonly string[];
  /** Finds problems that the schema does not, with JSON pointers within the value; called for values that match the schema. */
  readonly check?: (
    value: Value,
    context: FeatureContext,
  ) => readonly Problem[] | Promise<readonly Problem[]>;
  /** Joins the processing of a request. By default the feature has no stage of its own: others read its value. */
  readonly stages?: (value: Value, ports: FeaturePorts) => Stages | Promise<Stages>;
}

/** A webhook feature: a parameter of the trigger, how it is checked when a workflow is stored, and what it does to a request. */
export interface WebhookFeature<Name extends string = string> extends Required<Declaration<Name, JsonValue>> {
  /** JSON Schema of the parameter's value. */
  readonly schema: JsonObject;
}

/** @param declaration - its schema is one of the kit, with a description and examples */
export const defineFeature = <const Name extends string, Schema extends object>({
  schema,
  ...declaration
}: Declaration<Name, FromSchema<Schema>> & { readonly schema: Schema }): WebhookFeature<Name> => {
  const { additionalProperties = false }: { readonly additionalProperties?: JsonValue } = schema;
  return {
    expressions: [],
    templates: [],
    check: () => [],
    stages: () => ({}),
    ...(declaration as unknown as Declaration<Name, JsonValue>),
    schema: { ...toSchema(schema), additionalProperties },
  };
};

/**
 * Feature state that outlives workflow versions: one per set of ports, and so per sandbox.
 *
 * @param create - called on first use of the ports
 */
export const oncePer = <State>(create: (ports: FeaturePorts) => State) => {
  const states = new WeakMap<FeaturePorts, State>();
  return (ports: FeaturePorts): State => {
    const known = states.get(ports);
    if (known !== undefined) return known;
    const state = create(ports);
    states.set(ports, state);
    return state;
  };
};
