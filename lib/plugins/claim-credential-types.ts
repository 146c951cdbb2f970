import { type PluginEntry, toFailed } from './plugin.ts';

/** Types of inbound credentials, which the service itself has. */
const INBOUND = ['apiKey', 'basic'];

/** Gives each credential type to the first plugin that has it, as `claimNodeTypes` does with node types. */
export const claimCredentialTypes = (entries: readonly PluginEntry[]): PluginEntry[] => {
  const owners = new Map<string, string>(INBOUND.map((type) => [type, 'the service itself']));
  return entries.map((entry) => {
    if (entry.status !== 'loaded') return entry;
    const names = entry.plugin.credentialTypes.map(({ id }) => id);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) return toFailed(entry, `it brings the credential type "${twice}" twice`);
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined)
      return toFailed(entry, `its credential type "${taken}" is taken by ${owners.get(taken)}`);
    for (const name of names) owners.set(name, `the plugin "${entry.id}"`);
    return entry;
  });
};
