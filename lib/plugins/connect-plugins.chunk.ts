import type { PluginDependency } from '@hookloom/plugin-kit';
import { satisfies } from 'compare-versions';
import { describeNotLoaded, type LoadedEntry, type Plugin, type PluginEntry, toFailed } from './plugin.ts';

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

/**
 * Checks a plugin's dependencies using only metadata, before any plugin is initialised.
 * @param candidates - installed plugins with valid metadata, by id
 * @returns why the plugin can't be loaded, null if it can; and which optional dependencies are not met
 */
const checkDependencies = (plugin: Plugin, candidates: ReadonlyMap<string, Plugin>) => {
  const cycle = findCycle(plugin.id, candidates);
  if (cycle !== null) return { error: `its dependencies form a cycle: ${cycle.join(' -> ')}`, warnings: [] };
  const unmet = plugin.dependencies.flatMap((dependency) => {
    const problem = describeUnmet(dependency, candidates.get(dependency.pluginId));
    return problem === null ? [] : [{ problem, isOptional: dependency.optional === true }];
  });
  const required = unmet.filter(({ isOptional }) => !isOptional).map(({ problem }) => problem);
  return {
    error: required.length === 0 ? null : required.join('; '),
    warnings: unmet.filter(({ isOptional }) => isOptional).map(({ problem }) => problem),
  };
};

const describeUnmet = ({ pluginId, version }: PluginDependency, found: Plugin | undefined): string | null => {
  if (found === undefined)
    return `it depends on the plugin "${pluginId}", which is not installed or has invalid metadata`;
  if (version === undefined || satisfies(found.version, version)) return null;
  return `it depends on the plugin "${pluginId}" ${version}, but ${found.version} is installed`;
};

/** A dependency path from a plugin back to itself; null if there is none. */
const findCycle = (start: string, candidates: ReadonlyMap<string, Plugin>): string[] | null => {
  const seen = new Set<string>();
  const work = [[start]];
  for (let path = work.pop(); path !== undefined; path = work.pop()) {
    for (const { pluginId } of candidates.get(path.at(-1) ?? '')?.dependencies ?? []) {
      if (pluginId === start) return [...path, start];
      if (!seen.has(pluginId)) work.push([...path, pluginId]);
      seen.add(pluginId);
    }
  }
  return null;
};
