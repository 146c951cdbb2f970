import type { JsonValue } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { HealthCheck } from './plugin.ts';

/** One parameter of a legacy node type. */
export interface LegacyProperty {
  readonly name: string;
  readonly displayName: string;
  readonly type: 'string' | 'number' | 'boolean' | 'options' | 'object' | 'array' | 'any';
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: JsonValue;
  /** The allowed values, for `type: 'options'`. */
  readonly options?: readonly string[];
}

interface LegacyProvider {
  readonly nodeType: string;
  readonly displayName: string;
  readonly description: string;
  readonly category: string;
  /** Semantic version, such as `1.0.0`. */
  readonly version: string;
  readonly properties: readonly LegacyProperty[];
  /** Called on the first use of the node type; may import the executor's module then. */
  getExecutor(): NodeExecutor | Promise<NodeExecutor>;
  readonly healthCheck?: HealthCheck;
}

/** The legacy plugin API for a node type that starts workflows: one provider, one node type. */
export interface TriggerProvider extends LegacyProvider {}

/** The legacy plugin API for a node type that does something within a workflow: one provider, one node type. */
export interface ActionProvider extends LegacyProvider {
  /** As for a handle of the unified API. */
  readonly pure?: boolean;
}
