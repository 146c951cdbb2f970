import type { ActionProvider, PluginProvider, TriggerProvider } from '@hookloom/plugin-kit';
import { adaptLegacy } from './adapt-legacy.ts';
import { adaptUnified } from './adapt-unified.ts';
import type { InstalledPlugin } from './installed-plugin.ts';
import { checkLegacy, checkUnified } from './metadata/check-metadata.ts';
import type { Plugin } from './plugin.ts';

/** Imports an installed plugin and checks its metadata. @throws Error of the import, or for invalid metadata */
export const readPlugin = async (installed: InstalledPlugin): Promise<Plugin> => {
  const { default: provider } = await installed.load();
  const check = installed.api === 'legacy' ? checkLegacy : checkUnified;
  const problems = check(installed.id, provider);
  if (problems.length > 0) throw new Error(`its metadata is invalid: ${problems.join('; ')}`);
  return installed.api === 'legacy'
    ? adaptLegacy(installed.id, installed.kind, provider as TriggerProvider | ActionProvider)
    : adaptUnified(provider as PluginProvider);
};
