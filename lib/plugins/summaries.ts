import type { HandleKind } from '@hookloom/plugin-kit';
import type { PluginEntry } from './plugin.ts';

export interface ListedPlugins {
  readonly plugins: readonly PluginEntry[];
}

/** A plugin or a node type in the admin API. If a plugin failed, the fields that are not known are empty. */
export type PluginSummary = ReturnType<typeof summarise>;

/** All installed plugins, loaded or not. @param now - milliseconds since the epoch */
export const listPlugins = ({ plugins }: ListedPlugins, now: number) => ({
  count: plugins.length,
  plugins: plugins.map(summarise),
  timestamp: new Date(now).toISOString(),
});

/** All trigger node types, and the failed legacy triggers, whose id is the node type. */
export const listTriggers = (registry: ListedPlugins): PluginSummary[] => listNodeTypes(registry, 'trigger');

/** All action node types, and the failed legacy actions. */
export const listActions = (registry: ListedPlugins): PluginSummary[] => listNodeTypes(registry, 'action');

export const listProviders = ({ plugins }: ListedPlugins): PluginSummary[] =>
  plugins.filter(({ api }) => api === 'unified').map(summarise);

export const summarise = (entry: PluginEntry) => ({
  /** Id of the plugin, or the node type in the lists of triggers and actions. */
  id: entry.id,
  name: entry.plugin?.name ?? entry.id,
  description: entry.plugin?.description ?? '',
  type: pluginTypeOf(entry.kind),
  category: entry.plugin?.category ?? '',
  loaded: entry.status === 'loaded',
  version: entry.plugin?.version ?? '',
  api: entry.api,
  nodeTypes: entry.plugin?.nodeTypes.map(({ nodeType }) => nodeType) ?? [],
  /** Id of the plugin. */
  provider: entry.id,
  ...errorOf(entry),
});

const listNodeTypes = ({ plugins }: ListedPlugins, kind: HandleKind): PluginSummary[] =>
  plugins.flatMap((entry) => {
    if (entry.plugin === null) return entry.kind === kind ? [summarise(entry)] : [];
    return entry.plugin.nodeTypes
      .filter((nodeType) => nodeType.kind === kind)
      .map(({ nodeType, name, description, category }) => ({
        ...summarise(entry),
        id: nodeType,
        name,
        description,
        type: pluginTypeOf(kind),
        category,
        nodeTypes: [nodeType],
      }));
  });

const pluginTypeOf = (kind: PluginEntry['kind']) =>
  (({ trigger: 'TRIGGER', action: 'ACTION', provider: 'PROVIDER' }) as const)[kind];

const errorOf = (entry: PluginEntry): { readonly error?: string } =>
  entry.status === 'loaded' ? {} : { error: entry.error };

/** @param about - also the runtime and the build: an argument, since this folder does not read the process */
export const describeRegistry = <About extends { readonly now: number }>(
  registry: ListedPlugins,
  { now, ...about }: About,
) => {
  const triggers = listTriggers(registry).filter(({ loaded }) => loaded);
  const actions = listActions(registry).filter(({ loaded }) => loaded);
  const { plugins } = registry;
  return {
    /** How many unified providers are loaded. */
    providerCount: plugins.filter(({ api, status }) => api === 'unified' && status === 'loaded').length,
    triggerCount: triggers.length,
    actionCount: actions.length,
    serverTime: new Date(now).toISOString(),
    ...about,
    nodeTypes: [...triggers, ...actions].map(({ id }) => id).sort(),
    loadErrors: plugins.flatMap((entry) =>
      entry.status === 'failed' ? [{ id: entry.id, error: entry.error }] : [],
    ),
  };
};
