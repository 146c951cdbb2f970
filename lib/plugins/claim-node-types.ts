import { type PluginEntry, toFailed } from './plugin.ts';

/**
 * Gives each node type to the first plugin that has it. A plugin with a node type that is taken already fails as a
 * whole. Decided by metadata, before any init: the code of a node type must not depend on another plugin's init.
 */
export const claimNodeTypes = (entries: readonly PluginEntry[]): PluginEntry[] => {
  const owners = new Map<string, string>();
  return entries.map((entry) => {
    if (entry.status !== 'loaded') return entry;
    const names = entry.plugin.nodeTypes.map(({ nodeType }) => nodeType);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) return toFailed(entry, `it brings the node type "${twice}" twice`);
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined) {
      return toFailed(entry, `its node type "${taken}" is taken by the plugin "${owners.get(taken)}"`);
    }
    for (const name of names) owners.set(name, entry.id);
    return entry;
  });
};
