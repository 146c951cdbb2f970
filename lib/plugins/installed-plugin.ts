/** Imports the module whose default export is the provider: `unknown`, since the registry checks it. */
type LoadPlugin = () => Promise<{ readonly default: unknown }>;

/** An installed plugin by what is known without its module, so that a module that can't be imported is listed too. */
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
      /** Absent for a plugin that every function that runs workflows loads. */
      readonly onUse?: Provided;
    };

/** The names by which a plugin that is loaded on use is found: all that it declares. */
export interface Provided {
  readonly nodeTypes?: readonly string[];
  readonly credentialTypes?: readonly string[];
}

/** A {@link TriggerProvider}; `id` is its node type. */
export const legacyTrigger = (id: string, load: LoadPlugin): InstalledPlugin => ({
  id,
  api: 'legacy',
  kind: 'trigger',
  load,
});

/** An {@link ActionProvider}; `id` is its node type. */
export const legacyAction = (id: string, load: LoadPlugin): InstalledPlugin => ({
  id,
  api: 'legacy',
  kind: 'action',
  load,
});

/** A {@link PluginProvider}; `id` is its own id. */
export const unified = (id: string, load: LoadPlugin): InstalledPlugin => ({ id, api: 'unified', load });

/**
 * The same, loaded when a workflow has one of its node types, or a credential one of its types: a run of others pays nothing
 * for it. It has no dependencies. As a file called `NAME.plugin.ts`, it is no part of any bundle.
 */
export const unifiedOnUse = (id: string, onUse: Provided, load: LoadPlugin): InstalledPlugin => ({
  id,
  api: 'unified',
  load,
  onUse,
});
