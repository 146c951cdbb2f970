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

/** Marks a handle that steers the run instead of doing something: see `RunControl`. */
export interface ControlTraits {
  /** It may wait for longer than a process lives, so its workflow has to run durably. */
  readonly suspends: boolean;
  /** The output behind which its body is: nodes that it runs itself, as often as it likes. */
  readonly bodyOutput?: string;
}

/** One node type of a unified provider. */
export interface PluginHandle {
  /** The node type. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: HandleKind;
  /** JSON Schema (2020-12 or draft-07) of the node's `parameters`. */
  readonly schema: JsonObject;
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
  destroy?(): void | Promise<void>;
  readonly healthCheck?: HealthCheck;
}
