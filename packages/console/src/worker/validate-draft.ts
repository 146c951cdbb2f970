import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType, NodeType } from '@hookloom/plugin-kit/host';
import type { DescribedData, Problem } from '../../../../lib/workflows/definition/problem.ts';
import type { CalledWorkflows } from '../../../authoring/validation/types/infer-workflow.ts';
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
  /** What the service said last of data that only it can describe; absent before it did. */
  readonly described?: Described;
}

export interface Described extends DescribedData {
  /** What was described. */
  readonly definition: unknown;
}

export interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Checks a definition with the service's own validator. What only the code of a plugin can check is left to the
 * service: rules between parameters, and outputs that depend on parameters, until it has described them.
 */
export const createValidateDraft = (known: KnownTypes) => {
  const findNodeType = toFindNodeType(known);
  const called = calledOf(known);
  const { variables } = known;
  return async (definition: unknown): Promise<Findings> => {
    const { problems, warnings } = await validateWorkflow(
      definition,
      findNodeType,
      variables,
      async () => called,
    );
    return { problems, warnings };
  };
};

/** The node types that are known, by name. They do not run. */
export const toFindNodeType = ({
  declared,
  names,
  described,
}: Omit<KnownTypes, 'variables'>): FindNodeType => {
  const findDescribed = createFindDescribed(described);
  const types = new Map(names.map((name) => [name, toNodeType({ nodeType: name }, findDescribed)]));
  for (const type of declared) types.set(type.nodeType, toNodeType(type, findDescribed));
  return (name) => types.get(name) ?? null;
};

/** What the workflows deliver that a definition runs. */
export const calledOf = ({ described }: Pick<KnownTypes, 'described'>): CalledWorkflows =>
  new Map(Object.entries(described?.workflows ?? {}));

type FindDescribed = (
  nodeType: string,
  parameters: JsonObject,
) => Readonly<Record<string, JsonObject>> | null;

/** Finds what the service said of nodes of the same type with the same parameters. */
const createFindDescribed = (described: Described | undefined): FindDescribed => {
  const toKey = (type: string, parameters: JsonObject) => `${type} ${JSON.stringify(parameters)}`;
  const { nodes } = (described?.definition ?? {}) as { readonly nodes?: readonly DescribedNode[] };
  const found = new Map(
    (nodes ?? []).flatMap(({ id, type, parameters = {} }) => {
      const outputs = described?.outputs[id];
      return outputs === undefined ? [] : [[toKey(type, parameters), outputs] as const];
    }),
  );
  return (type, parameters) => (found.size === 0 ? null : (found.get(toKey(type, parameters)) ?? null));
};

interface DescribedNode {
  readonly id: string;
  readonly type: string;
  readonly parameters?: JsonObject;
}

/** Without declarations, as those of a plugin that can't be read, nothing in it is wrong. */
const toNodeType = (
  type: Partial<DeclaredType> & Pick<DeclaredType, 'nodeType'>,
  findDescribed: FindDescribed,
): NodeType => ({
  nodeType: type.nodeType,
  kind: type.kind ?? 'action',
  pure: type.pure === true,
  control: (type.control as NodeType['control'] | undefined) ?? null,
  literalParameters: type.literalParameters ?? [],
  options: {},
  checkParameters: null,
  outputs: toOutputs(type, (parameters) => findDescribed(type.nodeType, parameters)),
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

const toOutputs = (
  { outputs = null, outputSchemas = {}, ...depends }: Partial<DeclaredType>,
  find: (parameters: JsonObject) => ReturnType<FindDescribed>,
): NodeType['outputs'] => {
  if (outputs === null || depends.outputsDependOnParameters === true)
    return (parameters) => {
      const found = find(parameters);
      if (found === null) throw new Error('known to the service');
      return found;
    };
  const isFixed = depends.deliveryDependsOnParameters !== true;
  const schemaOf = (name: string) =>
    isFixed
      ? ((outputSchemas[name] ?? {}) as JsonObject)
      : (parameters: JsonObject) => find(parameters)?.[name] ?? {};
  return Object.fromEntries(outputs.map((name) => [name, schemaOf(name)]));
};

/** A trigger that is fired by events registers for them, and one that polls for a schedule. */
const toSource = (source: NonNullable<DeclaredType['firedBy']> | null): NodeType['firedBy'] => {
  if (source !== 'event' && source !== 'poll') return source;
  const notHere = () => Promise.reject(new Error('not in the page'));
  return { register: notHere, ...(source === 'poll' ? { poll: notHere } : {}) } as never;
};
