import type { CredentialType } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { openAdmin } from '../../lib/app/compose/admin.ts';
import { readConfig } from '../../lib/app/config.ts';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';

/** The registry of the installed plugins, the same as in a service deployed from this code. */
const load = () => openAdmin(readConfig({ LOG_LEVEL: 'error' })).loadRegistry();

/** Loads the node types of the installed plugins. */
export const loadNodeTypes = async (): Promise<FindNodeType> => (await load()).findNodeType;

/** The metadata of the installed plugins, loaded or not. */
export const loadPlugins = async (): Promise<readonly PluginEntry[]> => (await load()).plugins;

/** Loads the outbound credential types of the installed plugins, by id. */
export const loadCredentialTypes = async (): Promise<ReadonlyMap<string, CredentialType>> =>
  (await load()).credentialTypes;
