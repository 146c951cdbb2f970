import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { installedPlugins } from '../../plugins/installed.ts';

/** The node types of the plugins that every run has; others stand in `plugins/installed.ts`. */
const nodeTypesOf: Readonly<Record<string, readonly string[]>> = {
  httpRequest: ['httpRequest'],
  flow: ['set', 'if', 'switch', 'merge', 'filter', 'respondToWebhook'],
  control: ['wait', 'approval', 'forEach', 'subworkflow'],
};

/** The plugin whose node types are triggers that register themselves. */
const TRIGGERS = 'triggers';

const onUse = (plugin: InstalledPlugin): readonly string[] | undefined =>
  plugin.api === 'unified' ? plugin.onUse?.nodeTypes : undefined;

/** What the lists of the admin API show of the installed plugins, in their order. */
export const installedNames = {
  plugins: installedPlugins.map(({ id }) => id),
  triggers: [
    'webhookTrigger',
    'manualTrigger',
    ...installedPlugins.flatMap((plugin) => (plugin.id === TRIGGERS ? (onUse(plugin) ?? []) : [])),
  ],
  actions: installedPlugins.flatMap((plugin) =>
    plugin.id === TRIGGERS ? [] : (onUse(plugin) ?? nodeTypesOf[plugin.id] ?? []),
  ),
  providers: installedPlugins.flatMap(({ id, api }) => (api === 'unified' ? [id] : [])),
};
