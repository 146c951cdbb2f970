import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { readConfig } from '../../../lib/app/config.ts';
import { openRegistry } from '../../../lib/app/sandbox.ts';
import type { InstalledPlugin } from '../../../lib/plugins/installed-plugin.ts';
import type { PluginEntry } from '../../../lib/plugins/plugin.ts';
import { installedPlugins } from '../../../nodes/installed.ts';

/**
 * Opens the registry of the installed plugins on use, the same as in a service deployed from this code.
 *
 * @param added - the plugins of a folder, in a process that was not built with them
 */
export const openNodeTypes = (added: readonly InstalledPlugin[]) => {
  const load = openRegistry(
    [...installedPlugins, ...added],
    readConfig({}),
    createLogger({ level: 'error' }),
  );
  return {
    loadNodeTypes: async (): Promise<FindNodeType> => (await load()).findNodeType,
    /** The metadata of the plugins, loaded or not. */
    loadPlugins: async (): Promise<readonly PluginEntry[]> => (await load()).plugins,
  };
};

export const { loadNodeTypes, loadPlugins } = openNodeTypes([]);
