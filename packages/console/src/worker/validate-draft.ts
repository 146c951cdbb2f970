import type { JsonObject } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { validateWorkflow } from '../../../authoring/validation/validate.ts';
import type { Answer } from '../api/routes.ts';

export type DeclaredType = Answer<'GET /api/admin/node-types/{nodeType}'>;

/** What a definition is checked against. */
export interface KnownTypes {
  readonly declared: readonly DeclaredType[];
  /** The names of all types, for proposals. */
  readonly names: readonly string[];
  /** Names of the stage's variables; null if they are not known, so that any may be named. */
  readonly variables: readonly string[] | null;
}

export interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** To the worker: what it is to know from now on, or a definition to check, which it answers with findings. */
export type ToValidator = { readonly known: KnownTypes } | { readonly definition: unknown };

/**
 * Checks a definition with the service's own validator. What only the code of a plugin can check is left to the
 * service: rules between parameters, and outputs that depend on parameters.
 */
export const createValidateDraft = (known: KnownTypes) => {
  const types = toNodeTypes(known);
  const { variables } = known;
  return async (definition: unknown): Promise<Findings> => {
    const { problems, warnings } = await validateWorkflow(
      definition,
      (name) => types.get(name) ?? null,
      variables,
    );
    return { problems, warnings };
  };
};

/** The node types that are known, by name. They do not run. */
const toNodeTypes = ({ declared, names }: Omit<KnownTypes, 'variables'>): Map<string, NodeType> => {
  const types = new Map(names.map((name) => [name, toNodeType({ nodeType: name })]));
  for (const type of declared) types.set(type.nodeType, toNodeType(type));
  return types;
};

/** Without declarations, as those of a plugin that can't be read, nothing in it is wrong. */
const toNodeType = (type: Partial<DeclaredType> & Pick<DeclaredType, 'nodeType'>): NodeType => ({
  nodeType: type.nodeType,
  kind: type.kind ?? 'action',
  pure: type.pure === true,
  control: (type.control as NodeType['control'] | undefined) ?? null,
  literalParameters: type.literalParameters ?? [],
  checkParameters: null,
  outputs: toOutputs(type),
  inputs: type.inputs ?? ['main'],
  endsBranch: type.endsBranch ?? false,
  credentialTypes: type.credentialTypes ?? [],
  credentialRequired: type.credentialRequired === true,
  credentialTypesFor: null,
  awsCalls: null,
  firedBy: toSource(type.firedBy ?? null),
  schema: (type.schema ?? {}) as JsonObject,
  getExecutor: () => Promise.reject(new Error(`${type.nodeType} does not run in the page`)),
});

const toOutputs = ({
  outputs = null,
  outputSchemas = {},
  ...depends
}: Partial<DeclaredType>): NodeType['outputs'] => {
  if (outputs === null || depends.outputsDependOnParameters === true)
    return () => {
      throw new Error('known to the service');
    };
  // What else depends on parameters is known to the service.
  if (depends.deliveryDependsOnParameters === true) return outputs;
  return Object.fromEntries(outputs.map((name) => [name, (outputSchemas[name] ?? {}) as JsonObject]));
};

/** A trigger that is fired by events registers for them, and one that polls for a schedule. */
const toSource = (source: NonNullable<DeclaredType['firedBy']> | null): NodeType['firedBy'] => {
  if (source !== 'event' && source !== 'poll') return source;
  const notHere = () => Promise.reject(new Error('not in the page'));
  return { register: notHere, ...(source === 'poll' ? { poll: notHere } : {}) } as never;
};
