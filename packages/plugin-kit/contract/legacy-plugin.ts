import type { JsonValue } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type {
  AwsCalls,
  CheckParameters,
  CredentialNeed,
  CredentialTypesFor,
  HealthCheck,
  NodeExample,
  NodeOutputs,
  TriggerSource,
} from './plugin.ts';

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
  /** Regular expression that the value of a property with `type: 'string'` must match, as in JSON Schema. */
  readonly pattern?: string;
}

interface LegacyProvider {
  readonly nodeType: string;
  readonly displayName: string;
  readonly description: string;
  readonly category: string;
  /** Semantic version, such as `1.0.0`. */
  readonly version: string;
  readonly properties: readonly LegacyProperty[];
  /** Parameters whose braces are no expressions. For this field and the next nine, see `PluginHandle`. */
  readonly literalParameters?: readonly string[];
  readonly checkParameters?: CheckParameters;
  readonly outputs?: NodeOutputs;
  readonly inputs?: readonly string[];
  readonly endsBranch?: boolean;
  readonly credentialTypes?: readonly string[];
  readonly credentialRequired?: CredentialNeed;
  readonly credentialTypesFor?: CredentialTypesFor;
  readonly awsCalls?: AwsCalls;
  readonly example?: NodeExample;
  /** Called on the first use of the node type; may import the executor's module then. */
  getExecutor(): NodeExecutor | Promise<NodeExecutor>;
  readonly healthCheck?: HealthCheck;
}

/** The legacy plugin API for a node type that starts workflows: one provider, one node type. */
export interface TriggerProvider extends LegacyProvider {
  /** What fires this trigger: see `PluginHandle`. */
  readonly firedBy?: TriggerSource;
}

/** The legacy plugin API for a node type that does something in a workflow: one provider, one node type. */
export interface ActionProvider extends LegacyProvider {
  /** Whether the node is pure: see `PluginHandle`. */
  readonly pure?: boolean;
}
