import type { CredentialType } from '@hookloom/plugin-kit';
import { findHostsRule } from '@hookloom/plugin-kit/host';
import { PLUGIN_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import { type ListedPlugins, summarise } from '../summaries.ts';
import { describeNodeType } from './describe-node-type.ts';

/**
 * A plugin with everything that it declares. Lists are empty if the plugin failed and its metadata is not known.
 *
 * @throws AppError `PLUGIN_NOT_FOUND` if no installed plugin has the id
 */
export const describePlugin = ({ plugins }: ListedPlugins, id: string) => {
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
    /** Optional dependencies that are not met. */
    warnings: entry.status === 'loaded' ? entry.warnings : [],
    dependencies: entry.plugin?.dependencies ?? [],
    credentialTypes: entry.plugin?.credentialTypes.map(describeCredentialType) ?? [],
    nodeTypes: entry.plugin?.nodeTypes.map(describeNodeType) ?? [],
  };
};

/** A credential type as JSON, for the admin API and the pages of the reference. */
export type CredentialTypeDescription = ReturnType<typeof describeCredentialType>;

export const describeCredentialType = (type: CredentialType) => ({
  id: type.id,
  name: type.name,
  description: type.description,
  schema: type.schema,
  secretFields: type.secretFields,
  /** False if the node gets the fields itself. */
  appliesToRequests: type.apply !== undefined,
  hosts: findHostsRule(type),
  /** Whether a person signs in for its credentials, or some of them. */
  hasSignIn: type.toSignIn !== undefined,
  /** Whether `credential test` can try it. */
  hasTest: type.test !== undefined,
});
