import type { JsonValue } from './json.ts';
import type { NodeExecutor } from './node.ts';
import type { PluginHandle, PluginProvider } from './plugin.ts';

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

interface LegacyProvider
  extends Pick<PluginProvider, 'description' | 'category' | 'version' | 'healthCheck'>,
    Pick<PluginHandle, 'literalParameters' | 'checkParameters' | 'outputs' | 'inputs' | 'endsBranch'>,
    Pick<PluginHandle, 'credentialTypes' | 'credentialRequired' | 'credentialTypesFor' | 'awsCalls'>,
    Pick<PluginHandle, 'example'> {
  readonly nodeType: string;
  readonly displayName: string;
  readonly properties: readonly LegacyProperty[];
  /** Called on the first use of the node type; may import the executor's module then. */
  getExecutor(): NodeExecutor | Promise<NodeExecutor>;
}

/** The legacy plugin API for a node type that starts workflows: one provider, one node type. */
export interface TriggerProvider extends LegacyProvider, Pick<PluginHandle, 'firedBy'> {}

/** The legacy plugin API for a node type that does something in a workflow: one provider, one node type. */
export interface ActionProvider extends LegacyProvider {
  /** Whether the node is pure: see `PluginHandle`. */
  readonly pure?: boolean;
}
