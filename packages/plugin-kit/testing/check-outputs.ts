import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import type { DeliveredInput } from '../contract/node.ts';
import { eitherOf, resolveOutput, schemaOfOutput } from '../contract/outputs.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { createReader } from '../declare/read-parameters.ts';

/** What a node got, and what it delivered. */
interface Delivery {
  readonly parameters: JsonObject;
  readonly input: JsonObject;
  readonly inputs: readonly DeliveredInput[];
  readonly outputs: Readonly<Record<string, JsonObject>>;
}

/** Checks what a node delivers against what it declares. @throws Error with the output and the place of what does not fit */
export const checkDelivered = (
  { outputs: declared = [] }: Pick<PluginHandle, 'outputs'>,
  { parameters, input, inputs, outputs }: Delivery,
): void => {
  const given = {
    input: schemaOfValue(input),
    inputs: schemaOfValue(Object.fromEntries(inputs.map(({ sourceNodeId, data }) => [sourceNodeId, data]))),
    parameters: schemaOfValue(parameters),
    body: {},
    stored: parameters,
  };
  for (const [name, data] of Object.entries(outputs)) {
    const schema = resolveOutput(schemaOfOutput(declared, parameters, name), given);
    try {
      createReader({ properties: { [name]: schema } })({ [name]: data });
    } catch (error) {
      const found = (error as Error).message.replace('Parameter ', '');
      throw new Error(`its output is not what it declares: ${found}`);
    }
  }
};

/** A schema of the types of a value and of its parts; `{}` for an expression. */
const schemaOfValue = (value: JsonValue): JsonObject => {
  if (typeof value === 'string' && value.includes('{{')) return {};
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', items: eitherOf(value.map(schemaOfValue)) };
  if (!isPlainObject(value)) return { type: typeof value };
  const entries = Object.entries(value as JsonObject);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOfValue(field)])),
    required: entries.map(([name]) => name),
    additionalProperties: false,
  };
};
