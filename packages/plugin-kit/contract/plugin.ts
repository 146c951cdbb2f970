import type { CredentialType, HealthCheckResult } from './credential-type.ts';
import type { JsonObject } from './json.ts';
import type { NodeContext, NodeExecutor } from './node.ts';
import type { NodeOutputs } from './outputs.ts';
import type {
  FoundRegistration,
  RegisteredTrigger,
  RegistrationContext,
  TriggerAddress,
} from './registration.ts';
import type { AwsCall, Clock, LentCredential, Logger } from './services.ts';

export type HandleKind = 'trigger' | 'action';

/** Argument of a plugin's `init` and `healthCheck`. */
export interface PluginContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** The signal that is aborted when the time for the call is up. */
  readonly signal: AbortSignal;
}

type HealthCheck = (context: PluginContext) => HealthCheckResult | Promise<HealthCheckResult>;

/** Another plugin that must be installed and loaded. */
export interface PluginDependency {
  readonly pluginId: string;
  /** A semantic version range, such as `^1.2.0`; any version if absent. */
  readonly version?: string;
  /** An optional dependency that is missing is a warning, not a failure. */
  readonly optional?: boolean;
}

/** A problem with a stored parameter; `path` is a JSON pointer (RFC 6901) into the parameters. */
export interface ParameterProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * Checks a node's parameters before its workflow is stored, beyond what their schema can express. Called only if they
 * satisfy the schema. Expressions are text.
 */
type CheckParameters = (
  parameters: JsonObject,
) => readonly ParameterProblem[] | Promise<readonly ParameterProblem[]>;

/**
 * Which of its `credentialTypes` a node accepts, given its stored parameters with expressions as text. A workflow whose
 * node names a credential of another type is refused.
 */
type CredentialTypesFor = (parameters: JsonObject) => readonly string[];

/**
 * Whether a node can't run without a credential: a constant, or a function of its stored parameters, with expressions as
 * text. A workflow with a node that lacks it is refused.
 */
export type CredentialNeed = boolean | ((parameters: JsonObject) => boolean);

/**
 * The AWS calls that a node makes, from which the permissions it needs are derived. The function gets the stored
 * parameters, with `*` in place of each expression. Only what names a resource matters in an input.
 */
type AwsCalls = (parameters: JsonObject) => readonly AwsCall[];

/**
 * Whether a node is pure: a constant, or, for a type that has side effects only with certain parameters, a function of
 * its stored parameters, with expressions as text. If the function throws, the node is not pure.
 */
export type Purity = boolean | ((parameters: JsonObject) => boolean);

/** Marks the handle of a control node: see `RunControl`. */
export interface ControlTraits {
  /** Whether the node may wait longer than a process lives, so that its workflow must run durably. */
  readonly suspends: boolean;
  /** Which of its `outputs` leads to its body: nodes that it runs itself, any number of times. */
  readonly bodyOutput?: string;
  /**
   * The minimum number of seconds that it waits, given its stored parameters. `Infinity` for a wait that only a
   * background run can make, such as for an answer from outside; `NaN` if it is known only during a run. The workflow
   * is refused if its caller waits for less. 0 by default.
   */
  readonly waitSeconds?: (parameters: JsonObject) => number;
  /**
   * Whether a workflow is refused if nothing is connected to the node's `bodyOutput`, since the node would do nothing
   * useful.
   */
  readonly needsBody?: boolean;
}

/**
 * How an AWS event fires a trigger. An event is what a function gets from EventBridge or Scheduler, or one message of
 * an SQS batch. If a function throws, the event fails: its source repeats it and finally moves it to its dead-letter
 * queue.
 * The first three functions are pure, so that a repeated event has the same result.
 */
export interface EventSource {
  /** The input of the trigger's `execute`. */
  toInput(event: JsonObject): JsonObject;
  /** Identifies the event: a repeated event has the same key and does not start a second execution. */
  toKey(event: JsonObject): string;
  /**
   * Returns the trigger that an event is for. Needed only for a separate function that receives the events of this
   * trigger type. The function for all types knows the trigger.
   */
  toAddress?(event: JsonObject): TriggerAddress;
  /**
   * Registers a trigger for its events. Called before a workflow is stored or enabled, or if a registration is missing,
   * and again after a crash, so it must be idempotent.
   * @throws RegistrationRefused if a parameter can't be registered, in which case the workflow is not stored
   */
  register?(trigger: RegisteredTrigger, context: RegistrationContext): Promise<void>;
  /** Removes what `register` has created, even if it ran only partly or not at all. It must be idempotent. */
  unregister?(trigger: RegisteredTrigger, context: RegistrationContext): Promise<void>;
  /**
   * Finds out whether what `register` has created still fires the trigger, which an operator of the account may have switched off
   * or deleted: the service reports that. Called every 15 minutes, so it should be a single request. If it throws, nothing is reported.
   */
  inspect?(trigger: RegisteredTrigger, context: RegistrationContext): Promise<FoundRegistration>;
  /**
   * The form in which `register` names what it makes: 2 after its first change. It is part of `trigger.name`, `2.…`, so that the
   * sweep registers every trigger again, and then unregisters it under the name that it had. Without effect on a type with `resourceOf`.
   */
  readonly form?: number;
  /**
   * A resource that only one trigger can use, such as the ARN of a queue. Its events are recognised by the resource and
   * name no trigger.
   */
  resourceOf?(parameters: JsonObject): string;
  /**
   * Whether one execution takes a whole batch of messages, `{ Records: [...] }`; by default each message starts its
   * own.
   */
  takesBatches?(parameters: JsonObject): boolean;
  /**
   * For a trigger whose events only say that it is time to look: fetches what there is, as an action does, with the node's
   * credential and retries. It returns `{ items, keys }`: a list, and a string for each item that identifies it. The
   * service starts the workflow once for each key, with `{ item, key, polledAt }` as the input of `execute`; or, if the
   * parameter `perBatch` is true, once for all new ones, with `{ items, keys, polledAt }`.
   *
   * It may also return a `position`, any JSON of up to 10,000 bytes. Once all items have been started, the next poll has it as
   * `position` of its input, so that it can continue there: null until then. A trial has no `position` in its input.
   */
  poll?: NodeExecutor['execute'];
}

/** The built-in sources, one for each of the service's own triggers. */
export const BUILT_IN_SOURCES = ['request', 'subworkflow'] as const;

/**
 * What fires a trigger: an HTTP request to the path in its parameters, a `subworkflow` node of another workflow, or
 * events.
 */
export type TriggerSource = (typeof BUILT_IN_SOURCES)[number] | EventSource;

/** An example node of a type, for the reference. */
export interface NodeExample {
  /** The node's parameters as in a workflow file: values may be expressions. Valid for the schema of the node type. */
  readonly parameters: JsonObject;
  /** The input that the example gives the node. */
  readonly input?: JsonObject;
  /** What it delivers with these parameters and this input. */
  readonly output?: JsonObject;
}

/** A value to choose for a parameter. */
export interface ParameterOption {
  readonly value: string | number;
  /** What people read; the value by default. */
  readonly label?: string;
}

/** What an author has given so far, for the options of a parameter. */
export interface OptionsCall {
  /** The parameters that are given and have no expression, unchecked and without defaults. */
  readonly parameters: JsonObject;
  /** The node's credential; null if it has none. */
  readonly credential: LentCredential | null;
  /** Of a node that runs: `services` above all. */
  readonly context: NodeContext;
  /** What the author has typed, to ask for less: what does not contain it is left out anyway. Empty at first. */
  readonly search: string;
  /** The `nextPage` of the options before these; null for the first ones. */
  readonly page: string | null;
}

/** Finds the values to choose from. It must change nothing outside. */
export type FindOptions = (
  call: OptionsCall,
) => Promise<
  | readonly ParameterOption[]
  | { readonly options: readonly ParameterOption[]; readonly nextPage?: string | null }
>;

/** One node type of a unified provider. */
export interface PluginHandle {
  /** Id of the handle, which is its node type. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: HandleKind;
  /**
   * What fires a trigger. If absent, nothing fires it, and a workflow without another trigger is refused. `request` and
   * `subworkflow` fire only the built-in `webhookTrigger` and `manualTrigger`; in other triggers they have no effect.
   */
  readonly firedBy?: TriggerSource;
  /** JSON Schema (2020-12 or draft-07) of the node's `parameters`. */
  readonly schema: JsonObject;
  /**
   * Names of parameters in which braces are literal text, such as program code: expressions in them are not evaluated.
   */
  readonly literalParameters?: readonly string[];
  readonly checkParameters?: CheckParameters;
  /** The outputs, by name; `['main']` by default. A connection from any other output is refused. */
  readonly outputs?: NodeOutputs;
  /** Values of `targetInput` in `context.inputs`; `['main']` by default. A connection to any other input is refused. */
  readonly inputs?: readonly string[];
  /**
   * Whether the node may deliver on no output (`emit({})`), as `filter` does. A loop can end only at such a node or at
   * one with several outputs, and is refused without one. False by default.
   */
  readonly endsBranch?: boolean;
  /**
   * The types of credential that the node's `credentialId` may name; if there are none, `credentialId` is refused. An
   * action gets the credential as `context.credential`.
   */
  readonly credentialTypes?: readonly string[];
  /** Whether a node needs a credential; false by default. */
  readonly credentialRequired?: CredentialNeed;
  /** Types of credentials that a node accepts, depending on its parameters; all of `credentialTypes` by default. */
  readonly credentialTypesFor?: CredentialTypesFor;
  /** AWS calls that the node makes; none by default. */
  readonly awsCalls?: AwsCalls;
  /**
   * Whether the node has no side effects and always has the same output for the same input, so that it needs no
   * checkpoint.
   */
  readonly pure?: Purity;
  /** What finds options for parameters, by name of the parameter, while a workflow is edited; none by default. */
  readonly options?: Readonly<Partial<Record<string, FindOptions>>>;
  /** Traits of a control node; not together with `pure`. */
  readonly control?: ControlTraits;
  /** An example shown in the reference; it has no effect. */
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
  /** The plugin's node types; the list may be empty if it has credential types. */
  readonly handles: readonly PluginHandle[];
  readonly credentialTypes?: readonly CredentialType[];
  readonly dependencies?: readonly PluginDependency[];
  /**
   * Semantic version of the oldest service that the plugin works with. An older service does not load it. Any version
   * if absent.
   */
  readonly minimumServiceVersion?: string;
  /**
   * Called once per process, after `init` of its dependencies, when a node of the plugin is first executed or the
   * plugins are listed. If it throws, only this plugin is disabled; the call is repeated after half a minute or more.
   */
  init?(context: PluginContext): void | Promise<void>;
  /**
   * Called on SIGTERM if `init` has succeeded in this process, with the same deadline. Don't rely on it: Lambda sends
   * SIGTERM only to functions with an extension.
   */
  destroy?(): void | Promise<void>;
  readonly healthCheck?: HealthCheck;
}
