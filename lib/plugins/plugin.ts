import type { CredentialType, PluginDependency, PluginProvider } from '@hookloom/plugin-kit';
import type { NodeExample, NodeType } from '@hookloom/plugin-kit/host';

/** A plugin of either API, as the registry uses it. */
export interface Plugin extends Omit<PluginProvider, 'handles' | 'minimumServiceVersion'> {
  readonly nodeTypes: readonly PluginNodeType[];
  readonly credentialTypes: readonly CredentialType[];
  readonly dependencies: readonly PluginDependency[];
}

/** A node type with what the reference shows about it. */
export interface PluginNodeType extends NodeType {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly example: NodeExample | null;
}

interface EntryBase {
  readonly id: string;
  readonly api: 'legacy' | 'unified';
  /** The kind of plugin. For a legacy plugin, the list says which; a unified one is a provider. */
  readonly kind: 'trigger' | 'action' | 'provider';
}

export interface LoadedEntry extends EntryBase {
  readonly status: 'loaded';
  readonly plugin: Plugin;
  /** Optional dependencies that are not met. */
  readonly warnings: readonly string[];
}

interface FailedEntry extends EntryBase {
  readonly status: 'failed';
  /** The loaded plugin; null if its metadata could not be read. */
  readonly plugin: Plugin | null;
  readonly error: string;
}

interface DisabledEntry extends EntryBase {
  readonly status: 'disabled';
  readonly plugin: null;
  readonly error: string;
}

export type PluginEntry = LoadedEntry | FailedEntry | DisabledEntry;

export const toFailed = ({ id, api, kind, plugin }: PluginEntry, error: string): FailedEntry => {
  return { id, api, kind, status: 'failed', plugin, error };
};

/** The error of a plugin whose dependency is not loaded. */
export const describeNotLoaded = (pluginId: string): string =>
  `it depends on the plugin "${pluginId}", which is not loaded`;
