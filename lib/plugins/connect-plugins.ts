import { checkDependencies } from './check-dependencies.ts';
import { type LoadedEntry, type PluginEntry, toFailed } from './plugin.ts';

/** The error of a plugin whose dependency is not loaded. */
export const describeNotLoaded = (pluginId: string): string =>
  `it depends on the plugin "${pluginId}", which is not loaded`;

/**
 * Checks all dependencies using only metadata. If a required dependency fails, so does the plugin; an unmet optional
 * one is a warning.
 */
export const connectPlugins = (entries: readonly PluginEntry[]): PluginEntry[] => {
  const candidates = new Map(
    entries.flatMap((entry) => (entry.status === 'loaded' ? [[entry.id, entry] as const] : [])),
  );
  const plugins = new Map([...candidates].map(([id, { plugin }]) => [id, plugin]));

  const connect = (entry: LoadedEntry): PluginEntry => {
    const { error, warnings } = checkDependencies(entry.plugin, plugins);
    if (error !== null) return toFailed(entry, error);
    // The recursion ends because checkDependencies refuses cycles.
    const failed = entry.plugin.dependencies.filter(({ pluginId }) => {
      const found = candidates.get(pluginId);
      return found !== undefined && connectOnce(found).status !== 'loaded';
    });
    const required = failed.find(({ optional }) => optional !== true);
    if (required !== undefined) return toFailed(entry, describeNotLoaded(required.pluginId));
    return {
      ...entry,
      warnings: [...warnings, ...failed.map(({ pluginId }) => describeNotLoaded(pluginId))],
    };
  };

  const connected = new Map<string, PluginEntry>();
  const connectOnce = (entry: LoadedEntry): PluginEntry => {
    const result = connected.get(entry.id) ?? connect(entry);
    connected.set(entry.id, result);
    return result;
  };

  return entries.map((entry) => (entry.status === 'loaded' ? connectOnce(entry) : entry));
};
