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
