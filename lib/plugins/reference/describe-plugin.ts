import type { CredentialType, PluginDependency } from '@hookloom/plugin-kit';
import { findHostsRule, type HostsRule } from '@hookloom/plugin-kit/host';
import { PLUGIN_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { PluginEntry } from '../plugin.ts';
import { type ListedPlugins, type PluginSummary, summarise } from '../summaries.ts';
import { describeNodeType, type NodeTypeDescription } from './describe-node-type.ts';

/** A plugin with everything that it declares. Lists are empty if the plugin failed and its metadata is not known. */
interface PluginDescription extends Omit<PluginSummary, 'nodeTypes' | 'provider'> {
  readonly status: PluginEntry['status'];
  /** Optional dependencies that are not met. */
  readonly warnings: readonly string[];
  readonly dependencies: readonly PluginDependency[];
  readonly credentialTypes: readonly CredentialTypeDescription[];
  readonly nodeTypes: readonly NodeTypeDescription[];
}

/** @throws AppError `PLUGIN_NOT_FOUND` if no installed plugin has the id */
export const describePlugin = ({ plugins }: ListedPlugins, id: string): PluginDescription => {
  const entry = plugins.find((plugin) => plugin.id === id);
  if (entry === undefined) {
    const near = findNearest(
      id,
      plugins.map((plugin) => plugin.id),
    );
    throw new AppError(PLUGIN_NOT_FOUND, { near });
  }
  const { provider: _provider, ...summary } = summarise(entry);
  return {
    ...summary,
    status: entry.status,
    warnings: entry.status === 'loaded' ? entry.warnings : [],
    dependencies: entry.plugin?.dependencies ?? [],
    credentialTypes: entry.plugin?.credentialTypes.map(describeCredentialType) ?? [],
    nodeTypes: entry.plugin?.nodeTypes.map(describeNodeType) ?? [],
  };
};

/** A credential type as JSON, for the admin API and the pages of the reference. */
export interface CredentialTypeDescription
  extends Pick<CredentialType, 'id' | 'name' | 'description' | 'schema' | 'secretFields'> {
  /** Whether the type is applied to requests; false if the node gets the fields itself. */
  readonly appliesToRequests: boolean;
  readonly hosts: HostsRule;
  /** Whether `credential test` can try it. */
  readonly hasTest: boolean;
}

export const describeCredentialType = (type: CredentialType): CredentialTypeDescription => ({
  id: type.id,
  name: type.name,
  description: type.description,
  schema: type.schema,
  secretFields: type.secretFields,
  appliesToRequests: type.apply !== undefined,
  hosts: findHostsRule(type),
  hasTest: type.test !== undefined,
});
