import type { PluginDependency } from '@hookloom/plugin-kit';
import { satisfies } from 'compare-versions';
import type { Plugin } from './plugin.ts';

interface DependencyFindings {
  /** Why the plugin can't be loaded; null if it can. */
  readonly error: string | null;
  /** Optional dependencies that are not met. */
  readonly warnings: readonly string[];
}

/**
 * Checks a plugin's dependencies using only metadata, before any plugin is initialised.
 * @param candidates - installed plugins with valid metadata, by id
 */
export const checkDependencies = (
  plugin: Plugin,
  candidates: ReadonlyMap<string, Plugin>,
): DependencyFindings => {
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
