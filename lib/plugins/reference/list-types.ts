import type { CredentialType } from '@hookloom/plugin-kit';
import { CREDENTIAL_TYPE_NOT_FOUND, NODE_TYPE_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { PluginEntry, PluginNodeType } from '../plugin.ts';
import type { ListedPlugins } from '../summaries.ts';
import { describeNodeType, type NodeTypeDescription } from './describe-node-type.ts';
import { describeCredentialType } from './describe-plugin.ts';

interface Installed<Type> {
  readonly id: string;
  readonly type: Type;
  readonly entry: PluginEntry;
}

/** The node types of all installed plugins, loaded or not, by id. */
export const listNodeTypes = (registry: ListedPlugins) => findNodeTypes(registry).map(summariseNodeType);

/** @throws AppError `NODE_TYPE_NOT_FOUND` if no installed plugin has the node type */
export const showNodeType = (registry: ListedPlugins, nodeType: string) => {
  const all = findNodeTypes(registry);
  const found = all.find(({ id }) => id === nodeType);
  if (found === undefined) throw new AppError(NODE_TYPE_NOT_FOUND, { near: findNear(nodeType, all) });
  /** Empty if its plugin could not be read. */
  const described: Partial<NodeTypeDescription> = found.type === null ? {} : describeNodeType(found.type);
  return { ...summariseNodeType(found), warnings: warningsOf(found.entry), ...described };
};

/** The credential types of all installed plugins that could be read, by id. */
export const listCredentialTypes = (registry: ListedPlugins) =>
  findCredentialTypes(registry).map(summariseCredentialType);

/** @throws AppError `CREDENTIAL_TYPE_NOT_FOUND` if no installed plugin has the credential type */
export const showCredentialType = (registry: ListedPlugins, wanted: string) => {
  const all = findCredentialTypes(registry);
  const found = all.find(({ id }) => id === wanted);
  if (found === undefined) throw new AppError(CREDENTIAL_TYPE_NOT_FOUND, { near: findNear(wanted, all) });
  return {
    ...summariseCredentialType(found),
    warnings: warningsOf(found.entry),
    ...describeCredentialType(found.type),
    /** The node types that accept a credential of this type, sorted. */
    nodeTypes: findNodeTypes(registry)
      .filter(({ type }) => type?.credentialTypes.includes(wanted))
      .map(({ id }) => id),
  };
};

/** The type is null for a legacy plugin that could not be read: its id is its node type. */
const findNodeTypes = ({ plugins }: ListedPlugins): Installed<PluginNodeType | null>[] =>
  toUnique(
    plugins.flatMap((entry): Installed<PluginNodeType | null>[] => {
      if (entry.plugin === null)
        return entry.kind === 'provider' ? [] : [{ id: entry.id, type: null, entry }];
      return entry.plugin.nodeTypes.map((type) => ({ id: type.nodeType, type, entry }));
    }),
  );

const findCredentialTypes = ({ plugins }: ListedPlugins): Installed<CredentialType>[] =>
  toUnique(
    plugins.flatMap(
      (entry) => entry.plugin?.credentialTypes.map((type) => ({ id: type.id, type, entry })) ?? [],
    ),
  );

/** Sorts by id. If several plugins have the same id, only one of them can be loaded, and has it. */
const toUnique = <Type>(found: readonly Installed<Type>[]): Installed<Type>[] => {
  const byId = new Map(found.map((one) => [one.id, one]));
  for (const one of found) if (one.entry.status === 'loaded') byId.set(one.id, one);
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
};

const summariseNodeType = ({ id, type, entry }: Installed<PluginNodeType | null>) => ({
  nodeType: id,
  name: type?.name ?? id,
  description: type?.description ?? '',
  kind: type?.kind ?? (entry.kind === 'trigger' ? ('trigger' as const) : ('action' as const)),
  category: type?.category ?? '',
  ...summarisePluginOf(entry),
});

const summariseCredentialType = ({ id, type, entry }: Installed<CredentialType>) => ({
  id,
  name: type.name,
  description: type.description,
  ...summarisePluginOf(entry),
});

/** What a list shows of the plugin of a type: whether the type can be used, and if not, why. */
const summarisePluginOf = (
  entry: PluginEntry,
): { readonly plugin: string; readonly enabled: boolean; readonly error?: string } =>
  entry.status === 'loaded'
    ? { plugin: entry.id, enabled: true }
    : { plugin: entry.id, enabled: false, error: entry.error };

/** The unmet optional dependencies of a plugin. */
const warningsOf = (entry: PluginEntry): readonly string[] =>
  entry.status === 'loaded' ? entry.warnings : [];

const findNear = (wanted: string, all: readonly { readonly id: string }[]): string | null =>
  findNearest(
    wanted,
    all.map(({ id }) => id),
  );
