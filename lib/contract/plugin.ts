import type { JsonObject } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { Clock, Logger } from './services.ts';

export type HandleKind = 'trigger' | 'action';

/** What a plugin's own health check finds. A throw counts as `unhealthy`. Put no secrets in `message`. */
export interface HealthCheckResult {
  readonly status: 'healthy' | 'warning' | 'unhealthy';
  readonly message?: string;
}

/** What a plugin gets when it is initialised and when its health is checked. */
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
 * The outputs of a node by name: a list, or a function of the node's parameters, as for `switch`, whose cases name
 * them. The function gets the parameters as they are stored: where an expression stands, its text. Outputs that it
 * names with an expression, or whose names it can't give (it throws), are only known in a run: any name passes there.
 * `error` (for `onError: route`) and `response` are every node's and can't be declared.
 */
export type NodeOutputs = readonly string[] | ((parameters: JsonObject) => readonly string[]);

/** Marks a handle that steers the run instead of doing something: see `RunControl`. */
export interface ControlTraits {
  /** It may wait for longer than a process lives, so its workflow has to run durably. */
  readonly suspends: boolean;
  /** The output behind which its body is: nodes that it runs itself, as often as it likes. One of its `outputs`. */
  readonly bodyOutput?: string;
  /**
   * How many seconds it waits at least, as far as its stored parameters say; `Infinity` for what only a background
   * run can wait for, such as an answer from outside. Refused where a caller waits for less. 0 when absent.
   */
  readonly waitSeconds?: (parameters: JsonObject) => number;
}

/**
 * What fires a trigger: an HTTP request at the address that its parameters give, or a `subworkflow` node of another
 * workflow.
 */
export type TriggerSource = 'request' | 'subworkflow';

/** One node type of a unified provider. */
export interface PluginHandle {
  /** The node type. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** A handle of the kind `trigger` can be described and tested, but nothing fires it yet: see `TriggerProvider.firedBy`. */
  readonly kind: HandleKind;
  /** JSON Schema (2020-12 or draft-07) of the node's `parameters`. */
  readonly schema: JsonObject;
  /** `['main']` by default. A connection from any other output is refused. */
  readonly outputs?: NodeOutputs;
  /**
   * The inputs that it tells apart, as `targetInput` in `context.inputs`; `['main']` by default. A connection to any
   * other input is refused.
   */
  readonly inputs?: readonly string[];
  /**
   * It may deliver on no output at all (`emit({})`), as `filter` does. A loop ends at a node that says so, or that has
   * several outputs; one without such a node is refused. False by default.
   */
  readonly endsBranch?: boolean;
  /**
   * The types of credential that the node's `credentialId` may name; none by default, and `credentialId` is refused
   * then. Only credentials of callers exist yet (`apiKey`, `basic`): none is handed to `execute`.
   */
  readonly credentialTypes?: readonly string[];
  /** A pure handle touches nothing outside and gives the same output for the same input: it needs no remembering. */
  readonly pure?: boolean;
  /** Not together with `pure`. */
  readonly control?: ControlTraits;
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
  readonly handles: readonly PluginHandle[];
  readonly dependencies?: readonly PluginDependency[];
  /**
   * Called once in a process, after that of its dependencies, when a node of the plugin is first executed, or an operator
   * asks for the plugins. A throw keeps the plugin out, and nothing else; it is called again half a minute later or more.
   */
  init?(context: PluginContext): void | Promise<void>;
  /**
   * Called when the process is told to end (SIGTERM), if `init` has succeeded in it, within the deadline of a plugin. Lambda
   * tells that only to functions with an extension, and ends the others without a word: rely on nothing that is done here.
   */
  destroy?(): void | Promise<void>;
  readonly healthCheck?: HealthCheck;
}
