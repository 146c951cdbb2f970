import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { namesOfOutputs, schemaOfOutput } from '@hookloom/plugin-kit/host';
import type { PluginNodeType } from '../plugin.ts';

/** A node type as JSON, for the admin API, the command line and the pages of the reference. */
export type NodeTypeDescription = ReturnType<typeof describeNodeType>;

export const describeNodeType = (nodeType: PluginNodeType) => ({
  nodeType: nodeType.nodeType,
  name: nodeType.name,
  description: nodeType.description,
  category: nodeType.category,
  kind: nodeType.kind,
  firedBy: describeSource(nodeType.firedBy),
  inputs: nodeType.inputs,
  outputs: computeOutputs(nodeType),
  /** What each output delivers, as far as it is declared: JSON Schemas, with the references of the kit's `Given`. */
  outputSchemas: computeSchemas(nodeType),
  outputsDependOnParameters: typeof nodeType.outputs === 'function',
  /** Whether `outputSchemas` are those of the example, and differ with other parameters. */
  deliveryDependsOnParameters:
    typeof nodeType.outputs === 'function' ||
    Object.values(nodeType.outputs).some((schema) => typeof schema === 'function'),
  endsBranch: nodeType.endsBranch,
  credentialTypes: nodeType.credentialTypes,
  credentialRequired: orByParameters(nodeType.credentialRequired),
  pure: orByParameters(nodeType.pure),
  /** The traits of a control node; null for other nodes. */
  control:
    nodeType.control === null
      ? null
      : { suspends: nodeType.control.suspends, bodyOutput: nodeType.control.bodyOutput ?? null },
  schema: nodeType.schema,
  defaults: findDefaults(nodeType.schema),
  /** Parameters whose options the service finds. */
  parametersWithOptions: Object.keys(nodeType.options),
  /** Parameters in which `{{` does not begin an expression. */
  literalParameters: nodeType.literalParameters,
  example: nodeType.example,
});

/** `byParameters` if it depends on the parameters of a node. */
const orByParameters = (trait: boolean | ((parameters: JsonObject) => boolean)): boolean | 'byParameters' =>
  typeof trait === 'function' ? 'byParameters' : trait;

const findDefaults = ({ properties }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(isPlainObject(properties) ? properties : {}).flatMap(([name, schema]) =>
      isPlainObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );

/** What fires the trigger; null for actions, and for triggers that nothing fires. */
const describeSource = (source: PluginNodeType['firedBy']) => {
  if (source === null || typeof source === 'string') return source;
  return source.poll === undefined ? ('event' as const) : ('poll' as const);
};

/** If they depend on the parameters, those of the example; null if these can't be computed: a plugin may throw, or return anything. */
const computeOutputs = ({ outputs, example }: PluginNodeType): readonly string[] | null => {
  try {
    const names: readonly unknown[] = [...namesOfOutputs(outputs, example?.parameters ?? {})];
    return names.every((name) => typeof name === 'string') ? names : null;
  } catch {
    return null;
  }
};

const computeSchemas = (nodeType: PluginNodeType): JsonObject => {
  const { outputs, example } = nodeType;
  const schemas = (computeOutputs(nodeType) ?? []).map((name): [string, JsonObject] => [
    name,
    schemaOfOutput(outputs, example?.parameters ?? {}, name),
  ]);
  return Object.fromEntries(
    schemas.filter(([, schema]) => isPlainObject(schema) && Object.keys(schema).length > 0),
  );
};
