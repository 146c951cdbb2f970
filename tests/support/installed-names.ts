import type { PluginProvider } from '@hookloom/plugin-kit';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { installedPlugins } from '../../nodes/installed.ts';

/** The node types of the plugins that every run has; others stand in `nodes/installed.ts`. */
const nodeTypesOf: Readonly<Record<string, readonly string[]>> = {
  webhookTrigger: ['webhookTrigger'],
  manualTrigger: ['manualTrigger'],
  flow: ['set', 'if', 'switch', 'merge', 'filter', 'respondToWebhook'],
  control: ['wait', 'approval', 'forEach', 'subworkflow'],
};

const onUse = (plugin: InstalledPlugin): readonly string[] | undefined =>
  plugin.api === 'unified' ? plugin.onUse?.nodeTypes : [plugin.id];

/** Those of a plugin that someone has added to the list. */
const loadNodeTypes = async ({ load }: InstalledPlugin): Promise<readonly string[]> => {
  const { handles } = (await load()).default as PluginProvider;
  return handles.map(({ id }) => id);
};

const known = (plugin: InstalledPlugin) => onUse(plugin) ?? nodeTypesOf[plugin.id];

const loadedOnUse = (
  await Promise.all(installedPlugins.map((plugin) => known(plugin) ?? loadNodeTypes(plugin)))
).flat();

const ours = new Set(installedPlugins.flatMap((plugin) => known(plugin) ?? []));

const isTrigger = (nodeType: string): boolean => nodeType.endsWith('Trigger');

/** What the lists of the admin API show of the installed plugins, in their order. */
export const installedNames = {
  plugins: installedPlugins.map(({ id }) => id),
  /** Node types of plugins that someone has added. */
  added: loadedOnUse.filter((nodeType) => !ours.has(nodeType)),
  triggers: loadedOnUse.filter(isTrigger),
  actions: loadedOnUse.filter((nodeType) => !isTrigger(nodeType)),
  providers: installedPlugins.flatMap(({ id, api }) => (api === 'unified' ? [id] : [])),
};
