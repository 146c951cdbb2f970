import type { NodeType } from '../contract/node-type.ts';
import type { PluginDependency, PluginProvider } from '../contract/plugin.ts';

/** A plugin as the registry knows it, whichever API it was written for. */
export interface Plugin {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly category: string;
  readonly nodeTypes: readonly PluginNodeType[];
  readonly dependencies: readonly PluginDependency[];
  readonly init: PluginProvider['init'];
  readonly destroy: PluginProvider['destroy'];
  readonly healthCheck: PluginProvider['healthCheck'];
}

/** A node type with what people read of it. */
interface PluginNodeType extends NodeType {
  readonly name: string;
  readonly description: string;
  readonly category: string;
}

interface About {
  readonly id: string;
  readonly api: 'legacy' | 'unified';
  /** What a legacy plugin is, by its line in the list; a unified one is a provider of both. */
  readonly kind: 'trigger' | 'action' | 'provider';
}

export interface LoadedEntry extends About {
  readonly status: 'loaded';
  readonly plugin: Plugin;
  /** Optional dependencies that are not met. */
  readonly warnings: readonly string[];
}

interface FailedEntry extends About {
  readonly status: 'failed';
  /** What could be read of it before it failed. */
  readonly plugin: Plugin | null;
  readonly error: string;
}

interface DisabledEntry extends About {
  readonly status: 'disabled';
  readonly plugin: null;
  readonly error: string;
}

/** How an installed plugin turned out. */
export type PluginEntry = LoadedEntry | FailedEntry | DisabledEntry;

export const toFailed = ({ id, api, kind, plugin }: PluginEntry, error: string): FailedEntry => ({
  id,
  api,
  kind,
  status: 'failed',
  plugin,
  error,
});
