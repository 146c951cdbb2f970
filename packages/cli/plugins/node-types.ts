import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { readConfig } from '../../../lib/app/config.ts';
import { openRegistry } from '../../../lib/app/sandbox.ts';
import type { PluginEntry } from '../../../lib/plugins/plugin.ts';
import { installedPlugins } from '../../../nodes/installed.ts';

/** The registry of the installed plugins, the same as in a service deployed from this code. */
const load = openRegistry(installedPlugins, readConfig({}), createLogger({ level: 'error' }));

export const loadNodeTypes = async (): Promise<FindNodeType> => (await load()).findNodeType;

/** The metadata of the installed plugins, loaded or not. */
export const loadPlugins = async (): Promise<readonly PluginEntry[]> => (await load()).plugins;
