/** Imports the module whose default export is the provider: `unknown`, since the registry checks it. */
type LoadPlugin = () => Promise<{ readonly default: unknown }>;

/**
 * What is known about an installed plugin without its module, so that a plugin whose module can't be imported is still
 * listed.
 */
export type InstalledPlugin =
  | {
      readonly id: string;
      readonly api: 'legacy';
      readonly kind: 'trigger' | 'action';
      readonly load: LoadPlugin;
    }
  | {
      readonly id: string;
      readonly api: 'unified';
      readonly load: LoadPlugin;
      /** Node types that load the plugin on use; absent if every function that runs workflows loads it. */
      readonly onUse?: Provided;
    };

/** The list of installed plugins, which functions hand in: what they import decides what is packed with them. */
export type InstalledPlugins = readonly InstalledPlugin[];

/** The names under which a plugin that is loaded on use is found: everything that it declares. */
export interface Provided {
  readonly nodeTypes?: readonly string[] | undefined;
  readonly credentialTypes?: readonly string[] | undefined;
}

/** A {@link TriggerProvider}, loaded for workflows that use it; `id` is its node type. */
export const legacyTrigger = (id: string, load: LoadPlugin): InstalledPlugin => ({
  id,
  api: 'legacy',
  kind: 'trigger',
  load,
});

/** An {@link ActionProvider}, loaded for workflows that use it; `id` is its node type. */
export const legacyAction = (id: string, load: LoadPlugin): InstalledPlugin => ({
  id,
  api: 'legacy',
  kind: 'action',
  load,
});

/** A {@link PluginProvider}; `id` is its own id. */
export const unified = (id: string, load: LoadPlugin): InstalledPlugin => ({ id, api: 'unified', load });
