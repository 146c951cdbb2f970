import type { CredentialType, HandleKind } from '@hookloom/plugin-kit';
import { CREDENTIAL_TYPE_NOT_FOUND, NODE_TYPE_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { PluginEntry, PluginNodeType } from '../plugin.ts';
import type { ListedPlugins } from '../summaries.ts';
import { describeNodeType, type NodeTypeDescription } from './describe-node-type.ts';
import { type CredentialTypeDescription, describeCredentialType } from './describe-plugin.ts';

/** What a list shows of the plugin of a type. */
interface Provider {
  readonly plugin: string;
  /** Whether the type can be used; if not, `error` says why. */
  readonly enabled: boolean;
  readonly error?: string;
}

interface ListedNodeType extends Provider {
  readonly nodeType: string;
  readonly name: string;
  readonly description: string;
  readonly kind: HandleKind;
  readonly category: string;
}

interface ListedCredentialType extends Provider {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Unmet optional dependencies of the plugin. */
interface Warned {
  readonly warnings: readonly string[];
}

/** A node type with its declarations, which are absent if its plugin could not be read. */
type ShownNodeType = ListedNodeType & Warned & Partial<NodeTypeDescription>;

interface ShownCredentialType extends ListedCredentialType, Warned, CredentialTypeDescription {
  /** The node types that accept a credential of this type, sorted. */
  readonly nodeTypes: readonly string[];
}

interface Installed<Type> {
  readonly id: string;
  readonly type: Type;
  readonly entry: PluginEntry;
}

/** The node types of all installed plugins, loaded or not, by id. */
export const listNodeTypes = (registry: ListedPlugins): ListedNodeType[] =>
  findNodeTypes(registry).map(summariseNodeType);

/** @throws AppError `NODE_TYPE_NOT_FOUND` if no installed plugin has the node type */
export const showNodeType = (registry: ListedPlugins, nodeType: string): ShownNodeType => {
  const all = findNodeTypes(registry);
  const found = all.find(({ id }) => id === nodeType);
  if (found === undefined) throw new AppError(NODE_TYPE_NOT_FOUND, { near: findNear(nodeType, all) });
  return {
    ...summariseNodeType(found),
    warnings: warningsOf(found.entry),
    ...(found.type === null ? {} : describeNodeType(found.type)),
  };
};

/** The credential types of all installed plugins that could be read, by id. */
export const listCredentialTypes = (registry: ListedPlugins): ListedCredentialType[] =>
  findCredentialTypes(registry).map(summariseCredentialType);

/** @throws AppError `CREDENTIAL_TYPE_NOT_FOUND` if no installed plugin has the credential type */
export const showCredentialType = (registry: ListedPlugins, wanted: string): ShownCredentialType => {
  const all = findCredentialTypes(registry);
  const found = all.find(({ id }) => id === wanted);
  if (found === undefined) throw new AppError(CREDENTIAL_TYPE_NOT_FOUND, { near: findNear(wanted, all) });
  return {
    ...summariseCredentialType(found),
    warnings: warningsOf(found.entry),
    ...describeCredentialType(found.type),
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

const summariseNodeType = ({ id, type, entry }: Installed<PluginNodeType | null>): ListedNodeType => ({
  nodeType: id,
  name: type?.name ?? id,
  description: type?.description ?? '',
  kind: type?.kind ?? (entry.kind === 'trigger' ? 'trigger' : 'action'),
  category: type?.category ?? '',
  ...describeProvider(entry),
});

const summariseCredentialType = ({ id, type, entry }: Installed<CredentialType>): ListedCredentialType => ({
  id,
  name: type.name,
  description: type.description,
  ...describeProvider(entry),
});

const describeProvider = (entry: PluginEntry): Provider =>
  entry.status === 'loaded'
    ? { plugin: entry.id, enabled: true }
    : { plugin: entry.id, enabled: false, error: entry.error };

const warningsOf = (entry: PluginEntry): readonly string[] =>
  entry.status === 'loaded' ? entry.warnings : [];

const findNear = (wanted: string, all: readonly { readonly id: string }[]): string | null =>
  findNearest(
    wanted,
    all.map(({ id }) => id),
  );
