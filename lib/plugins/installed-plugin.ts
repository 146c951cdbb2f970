/** Loads the module whose default export is the provider. `unknown`, since the registry checks what it gets. */
type LoadPlugin = () => Promise<{ readonly default: unknown }>;

/**
 * One entry of the list of installed plugins. The list says only what has to be known without loading the
 * plugin, so that a module that throws when it is imported is still listed, with its error.
 */
export type InstalledPlugin =
  | {
      readonly id: string;
      readonly api: 'legacy';
      readonly kind: 'trigger' | 'action';
      readonly load: LoadPlugin;
    }
  | { readonly id: string; readonly api: 'unified'; readonly load: LoadPlugin };

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
