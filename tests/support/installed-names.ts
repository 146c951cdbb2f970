import { installedPlugins } from '../../plugins/installed.ts';

/** The node types of the plugins that every run has; others stand in `plugins/installed.ts`. */
const nodeTypesOf: Readonly<Record<string, readonly string[]>> = {
  httpRequest: ['httpRequest'],
  flow: ['set', 'if', 'switch', 'merge', 'filter', 'respondToWebhook'],
  control: ['wait', 'approval', 'forEach', 'subworkflow'],
};

/** What the lists of the admin API show of the installed plugins, in their order. */
export const installedNames = {
  plugins: installedPlugins.map(({ id }) => id),
  triggers: ['webhookTrigger', 'manualTrigger'],
  actions: installedPlugins.flatMap((plugin) => {
    const onUse = plugin.api === 'unified' ? plugin.onUse?.nodeTypes : undefined;
    return onUse ?? nodeTypesOf[plugin.id] ?? [];
  }),
  providers: installedPlugins.flatMap(({ id, api }) => (api === 'unified' ? [id] : [])),
};
