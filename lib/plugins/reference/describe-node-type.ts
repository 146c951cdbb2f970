import { type HandleKind, isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import type { NodeExample } from '@hookloom/plugin-kit/host';
import type { PluginNodeType } from '../plugin.ts';

/** A node type as JSON, for the admin API, the command line and the pages of the reference. */
export interface NodeTypeDescription {
  readonly nodeType: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly kind: HandleKind;
  /** What fires the trigger; null for actions, and for triggers that nothing fires. */
  readonly firedBy: 'request' | 'subworkflow' | 'event' | null;
  readonly inputs: readonly string[];
  /**
   * The outputs of the node type. If they depend on the parameters, those of the example; null if these can't be
   * computed.
   */
  readonly outputs: readonly string[] | null;
  readonly outputsDependOnParameters: boolean;
  readonly endsBranch: boolean;
  readonly credentialTypes: readonly string[];
  /** Whether a node needs a credential; `byParameters` if it depends on the parameters. */
  readonly credentialRequired: boolean | 'byParameters';
  /** Whether a node is pure; `byParameters` if it depends on the parameters. */
  readonly pure: boolean | 'byParameters';
  /** The traits of a control node; null for other nodes. */
  readonly control: { readonly suspends: boolean; readonly bodyOutput: string | null } | null;
  /** JSON Schema of the parameters. */
  readonly schema: JsonObject;
  /** The defaults in the schema, by parameter. */
  readonly defaults: JsonObject;
  /** Parameters in which `{{` does not begin an expression. */
  readonly literalParameters: readonly string[];
  readonly example: NodeExample | null;
}

export const describeNodeType = (nodeType: PluginNodeType): NodeTypeDescription => ({
  nodeType: nodeType.nodeType,
  name: nodeType.name,
  description: nodeType.description,
  category: nodeType.category,
  kind: nodeType.kind,
  firedBy: describeSource(nodeType.firedBy),
  inputs: nodeType.inputs,
  outputs: computeOutputs(nodeType),
  outputsDependOnParameters: typeof nodeType.outputs === 'function',
  endsBranch: nodeType.endsBranch,
  credentialTypes: nodeType.credentialTypes,
  credentialRequired: orByParameters(nodeType.credentialRequired),
  pure: orByParameters(nodeType.pure),
  control:
    nodeType.control === null
      ? null
      : { suspends: nodeType.control.suspends, bodyOutput: nodeType.control.bodyOutput ?? null },
  schema: nodeType.schema,
  defaults: findDefaults(nodeType.schema),
  literalParameters: nodeType.literalParameters,
  example: nodeType.example,
});

const orByParameters = (trait: boolean | ((parameters: JsonObject) => boolean)): boolean | 'byParameters' =>
  typeof trait === 'function' ? 'byParameters' : trait;

const findDefaults = ({ properties }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(isPlainObject(properties) ? properties : {}).flatMap(([name, schema]) =>
      isPlainObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );

const describeSource = (source: PluginNodeType['firedBy']): NodeTypeDescription['firedBy'] =>
  source === null || typeof source === 'string' ? source : 'event';

/** Computes the outputs of a node type: a function of a plugin may throw, or return anything. */
const computeOutputs = ({ outputs, example }: PluginNodeType): readonly string[] | null => {
  if (typeof outputs !== 'function') return outputs;
  try {
    const names: readonly unknown[] = [...outputs(example?.parameters ?? {})];
    return names.every((name) => typeof name === 'string') ? names : null;
  } catch {
    return null;
  }
};
