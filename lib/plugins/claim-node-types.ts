import { type PluginEntry, toFailed } from './plugin.ts';

/**
 * The first plugin of the list that brings a node type has it; a plugin of which one is taken is left out whole.
 *
 * Claimed on metadata alone, before anything is initialised: whose code a node type runs must not depend on
 * whether another plugin's init happened to work this time.
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
