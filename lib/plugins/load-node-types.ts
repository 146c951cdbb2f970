import type { CredentialType } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { InstalledPlugin, Provided } from './installed-plugin.ts';
import type { Registry } from './load-registry.ts';

/**
 * Finds node types; of plugins that are loaded on use, only the requested ones.
 * @param nodeTypes - node types of a workflow; all installed ones if absent
 */
export type LoadNodeTypes = (nodeTypes?: readonly string[]) => Promise<FindNodeType>;

/** What a function that runs workflows needs from plugins. */
export interface LoadedOnUse {
  readonly loadNodeTypes: LoadNodeTypes;
  /** @returns null if no plugin declares it */
  findCredentialType(type: string): Promise<CredentialType | null>;
}

type OpenedRegistry = Pick<Registry, 'findNodeType' | 'credentialTypes'>;

/**
 * Creates the functions that load plugins for a workflow. Plugins that every workflow may use share a registry; each
 * plugin that is loaded on use has its own. No plugin is in two registries.
 * @param open - returns a function that builds the registry of the given plugins once
 */
export const loadOnUse = (
  installed: readonly InstalledPlugin[],
  open: (plugins: readonly InstalledPlugin[]) => () => Promise<OpenedRegistry>,
): LoadedOnUse => {
  const loadCommon = open(installed.filter((plugin) => providedBy(plugin) === null));
  const onUse = installed.flatMap((plugin) => {
    const provided = providedBy(plugin);
    return provided === null ? [] : [{ ...provided, load: open([plugin]) }];
  });
  const loadNodeTypes: LoadNodeTypes = async (wanted) => {
    const needed = onUse.filter(
      ({ nodeTypes = [] }) => wanted === undefined || nodeTypes.some((nodeType) => wanted.includes(nodeType)),
    );
    const registries = await Promise.all([loadCommon(), ...needed.map(({ load }) => load())]);
    return (nodeType) => {
      const registry = registries.find(({ findNodeType }) => findNodeType(nodeType) !== null);
      return registry?.findNodeType(nodeType) ?? null;
    };
  };
  return {
    loadNodeTypes,
    findCredentialType: async (type) => {
      const provider = onUse.find(({ credentialTypes = [] }) => credentialTypes.includes(type));
      const { credentialTypes } = await (provider?.load ?? loadCommon)();
      return credentialTypes.get(type) ?? null;
    },
  };
};

/** The names of a plugin that is loaded on use; null if every workflow loads it. The id of a legacy plugin is its node type. */
const providedBy = (plugin: InstalledPlugin): Provided | null =>
  plugin.api === 'unified' ? (plugin.onUse ?? null) : { nodeTypes: [plugin.id] };
