import type { AwsCall } from './aws-client.ts';
import type { CredentialType } from './credential-type.ts';
import type { HealthCheckResult } from './health-check-result.ts';
import type { JsonObject } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { NodeExample } from './node-example.ts';
import type { RegisteredTrigger, RegistrationContext, TriggerAddress } from './registration.ts';
import type { Clock, Logger } from './services.ts';

export type { HealthCheckResult } from './health-check-result.ts';

export type HandleKind = 'trigger' | 'action';

/** Argument of a plugin's `init` and `healthCheck`. */
export interface PluginContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborted when the time for the call is up. */
  readonly signal: AbortSignal;
}

export type HealthCheck = (context: PluginContext) => HealthCheckResult | Promise<HealthCheckResult>;

/** Another plugin that must be installed and loaded. */
export interface PluginDependency {
  readonly pluginId: string;
  /** A semantic version range, such as `^1.2.0`; any version when absent. */
  readonly version?: string;
  /** An optional dependency that is missing is a warning, not a failure. */
  readonly optional?: boolean;
}

/**
 * Names of a node's outputs: a list, or a function of its parameters, as for `switch`, whose cases are its outputs.
 * The function gets the parameters as stored, with expressions as text. Where it throws, or a name is an expression,
 * the outputs are known in a run only, and the validation accepts any name. `error` (for `onError: route`) and
 * `response` exist on every node and can't be declared.
 */
export type NodeOutputs = readonly string[] | ((parameters: JsonObject) => readonly string[]);

/** A problem of a stored parameter; `path` is a JSON pointer (RFC 6901) into the parameters. */
export interface ParameterProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Checks the parameters of a workflow that is to be stored, beyond what their schema says; called when they satisfy the
 * schema. Expressions are text.
 */
export type CheckParameters = (
  parameters: JsonObject,
) => readonly ParameterProblem[] | Promise<readonly ParameterProblem[]>;

/**
 * The ones of its `credentialTypes` that a node takes by its stored parameters, with expressions as text. A workflow
 * whose node names a credential of another type is refused.
 */
export type CredentialTypesFor = (parameters: JsonObject) => readonly string[];

/**
 * Whether a node can't run without a credential: a constant, or a function of its stored parameters, with expressions as
 * text. A workflow with a node that lacks it is refused.
 */
export type CredentialNeed = boolean | ((parameters: JsonObject) => boolean);

/**
 * The calls of AWS that a node makes, so that the permissions that it needs can be printed. The function gets the stored
 * parameters, with `*` in place of each expression. Only what names a resource matters in an input.
 */
export type AwsCalls = (parameters: JsonObject) => readonly AwsCall[];

/**
 * Whether a node is pure: a constant, or a function of its stored parameters, with expressions as text, for a type that
 * touches the outside only when it is asked to. A throw means that it is not.
 */
export type Purity = boolean | ((parameters: JsonObject) => boolean);

/** Marks a handle that steers the run: see `RunControl`. */
export interface ControlTraits {
  /** It may wait for longer than a process lives, so its workflow must run durably. */
  readonly suspends: boolean;
  /** The one of its `outputs` that leads to its body: nodes that it runs itself, any number of times. */
  readonly bodyOutput?: string;
  /**
   * Least number of seconds that it waits, by its stored parameters; `Infinity` for a wait that only a background run
   * can make, such as for an answer from outside; `NaN` when only a run knows. Refused where the caller waits for less. 0
   * when absent.
   */
  readonly waitSeconds?: (parameters: JsonObject) => number;
  /** The node does nothing useful while nothing is connected to its `bodyOutput`: refused. */
  readonly needsBody?: boolean;
}

/**
 * How an event of AWS fires a trigger. An event is what a function gets from EventBridge or Scheduler, or one message of an
 * SQS batch. A throw fails the event: its source repeats it, and gives it up to its dead-letter queue.
 *
 * The first three functions are pure, so that a repeated event has the same result.
 */
export interface EventSource {
  /** The input of the trigger's `execute`. */
  toInput(event: JsonObject): JsonObject;
  /** Identifies the event to this trigger: a repeated event has the same key, and starts no second execution. */
  toKey(event: JsonObject): string;
  /** For a function of its own that takes the events of this trigger type. The one for all types knows the trigger. */
  toAddress?(event: JsonObject): TriggerAddress;
  /**
   * Asks for the events of a trigger. Called before a workflow is stored, enabled, or when a registration is missing;
   * again after a crash: it must be idempotent.
   *
   * @throws RegistrationRefused for a parameter that can't be registered: the workflow is not stored
   */
  register?(trigger: RegisteredTrigger, context: RegistrationContext): Promise<void>;
  /** Takes back what `register` has made, also when it was made in part or not at all: it must be idempotent. */
  unregister?(trigger: RegisteredTrigger, context: RegistrationContext): Promise<void>;
  /** What only one trigger can have, such as the ARN of a queue: its events are known by it, and carry no trigger. */
  resourceOf?(parameters: JsonObject): string;
  /** Whether one execution takes a whole batch of messages, `{ Records: [...] }`; one each when absent. */
  takesBatches?(parameters: JsonObject): boolean;
}

/** Sources that the service has built in, one for each of its own triggers. */
export const BUILT_IN_SOURCES = ['request', 'subworkflow'] as const;

/**
 * What fires a trigger: an HTTP request to the path in its parameters, a `subworkflow` node of another workflow, or
 * events.
 */
export type TriggerSource = (typeof BUILT_IN_SOURCES)[number] | EventSource;

/** One node type of a unified provider. */
export interface PluginHandle {
  /** The node type. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: HandleKind;
  /** For the kind `trigger`: without it, nothing fires it, and a workflow without another trigger is refused. */
  readonly firedBy?: EventSource;
  /** JSON Schema (2020-12 or draft-07) of the node's `parameters`. */
  readonly schema: JsonObject;
  /** Names of parameters whose braces are text, such as program code: expressions in them are not evaluated. */
  readonly literalParameters?: readonly string[];
  readonly checkParameters?: CheckParameters;
  /** `['main']` by default. A connection from any other output is refused. */
  readonly outputs?: NodeOutputs;
  /** Values of `targetInput` in `context.inputs`; `['main']` by default. A connection to any other input is refused. */
  readonly inputs?: readonly string[];
  /**
   * It may deliver on no output (`emit({})`), as `filter` does. A loop needs a node with this or with several outputs,
   * where it can end; otherwise it is refused. False by default.
   */
  readonly endsBranch?: boolean;
  /**
   * Types of credential that the node's `credentialId` may name; without any, `credentialId` is refused. An action gets
   * it as `context.credential`.
   */
  readonly credentialTypes?: readonly string[];
  /** False by default. */
  readonly credentialRequired?: CredentialNeed;
  /** All of `credentialTypes` by default. */
  readonly credentialTypesFor?: CredentialTypesFor;
  /** None by default. */
  readonly awsCalls?: AwsCalls;
  /** Without side effects, and with the same output for the same input: it needs no checkpoint. */
  readonly pure?: Purity;
  /** Not together with `pure`. */
  readonly control?: ControlTraits;
  /** For the reference; it has no effect. */
  readonly example?: NodeExample;
  readonly execute: NodeExecutor['execute'];
}

/** The unified plugin API: one provider, many node types. */
export interface PluginProvider {
  /** Unique among the installed plugins; `A-Z a-z 0-9 . _ -`. */
  readonly id: string;
  readonly name: string;
  /** Semantic version of the plugin, such as `1.0.0`. */
  readonly version: string;
  readonly description: string;
  readonly category: string;
  /** May be empty for a plugin that brings credential types. */
  readonly handles: readonly PluginHandle[];
  readonly credentialTypes?: readonly CredentialType[];
  readonly dependencies?: readonly PluginDependency[];
  /** Semantic version of the oldest service that the plugin works with: an older one does not load it. Any when absent. */
  readonly minimumServiceVersion?: string;
  /**
   * Called once per process, after `init` of its dependencies, when a node of the plugin is first executed or the
   * plugins are listed. A throw disables this plugin only; the call is repeated after half a minute or more.
   */
  init?(context: PluginContext): void | Promise<void>;
  /**
   * Called on SIGTERM if `init` has succeeded in this process, with the same deadline. Don't rely on it: Lambda sends
   * SIGTERM only to functions with an extension.
   */
  destroy?(): void | Promise<void>;
  readonly healthCheck?: HealthCheck;
}
