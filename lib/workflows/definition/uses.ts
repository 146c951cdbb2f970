import { findCredentialUses } from './credential-uses.ts';
import type { WorkflowDefinition } from './definition.ts';
import { findUsedWorkflows } from './find-users.ts';
import { findVariables } from './find-variables.ts';

/** What a workflow uses, by kind: ids of credentials and of other workflows, names of variables, node types, settings. */
export interface Uses {
  readonly credentials: readonly string[];
  readonly workflows: readonly string[];
  /** `all` if an expression computes names. */
  readonly variables: readonly string[] | 'all';
  readonly nodeTypes: readonly string[];
  /** Those of its settings that are `true`. */
  readonly settings: readonly string[];
}

/** Some things of one kind, for which users are sought. */
export interface Used {
  readonly kind: keyof Uses;
  readonly names: readonly string[];
}

/** Finds what a workflow uses, its disabled nodes included, whatever plugins are installed. */
export const findUses = (definition: WorkflowDefinition): Uses => {
  const { nodes, settings = {} } = definition;
  const credentials = nodes.flatMap((node) => findCredentialUses(node, () => null));
  return {
    credentials: unique(credentials.map(({ credentialId }) => credentialId)),
    workflows: unique(nodes.flatMap(findUsedWorkflows)),
    variables: findVariables(nodes.map(({ parameters }) => parameters)),
    nodeTypes: unique(nodes.map(({ type }) => type)),
    settings: Object.entries(settings).flatMap(([name, value]) => (value === true ? [name] : [])),
  };
};

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

export const usesAny = (uses: Uses, { kind, names }: Used): boolean => {
  const used = uses[kind];
  return names.length > 0 && (used === 'all' || names.some((name) => used.includes(name)));
};

/**
 * The current versions of the workflows that use any of these, by id. What was stored within the last second may be
 * missing or outdated.
 * @param enough - stops once so many are found; all if absent
 * @throws AppError `STORE_UNAVAILABLE`
 */
export type ListUsers = (used: Used, enough?: number) => Promise<readonly WorkflowDefinition[]>;
