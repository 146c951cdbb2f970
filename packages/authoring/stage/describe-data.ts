import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { type FindNodeType, namesOfOutputs, schemaOfOutput } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { DescribedData } from '../../../lib/workflows/definition/problem.ts';
import type { InferCalled } from '../validation/types/called-workflows.ts';

/** Describes data of a workflow that an editor can't know: what depends on the code of a node type, or on other workflows. */
export const describeData = async (
  definition: WorkflowDefinition,
  inferCalled: InferCalled,
  findNodeType: FindNodeType,
): Promise<DescribedData> => ({
  outputs: Object.fromEntries(
    definition.nodes.flatMap(({ id, type, parameters }) => {
      const found = describeOutputs(findNodeType(type)?.outputs, parameters);
      return found === null ? [] : [[id, found]];
    }),
  ),
  workflows: Object.fromEntries(await inferCalled(definition)),
});

/** What a node delivers if that is a function of its parameters; null if it is not, or is not known. */
const describeOutputs = (
  outputs: NonNullable<ReturnType<FindNodeType>>['outputs'] | undefined,
  parameters: JsonObject,
): DescribedData['outputs'][string] | null => {
  const depends =
    typeof outputs === 'function' ||
    Object.values(outputs ?? {}).some((schema) => typeof schema === 'function');
  if (outputs === undefined || !depends) return null;
  try {
    const described = namesOfOutputs(outputs, parameters).map((name): [string, JsonObject] => {
      const schema: unknown = schemaOfOutput(outputs, parameters, name);
      return [String(name), isPlainObject(schema) ? (schema as JsonObject) : {}];
    });
    return Object.fromEntries(described);
  } catch {
    return null; // of a plugin, or of parameters that are not valid yet
  }
};
