import {
  closed,
  definePlugin,
  type JsonObject,
  NodeError,
  type PluginHandle,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

const fired = { triggeredAt: Type.String(), triggerType: Type.String() };

/** @throws NodeError if an input is not what the schema says */
const requireFit = async (input: JsonObject, schema: JsonObject): Promise<void> => {
  const { describeErrors, findErrors } = await import('@hookloom/bounded-schema');
  const errors = findErrors(schema, input);
  if (errors.length === 0) return;
  throw new NodeError(`the input is not what "schema" says: ${describeErrors(errors, 'the input')}`, {
    name: 'InputMismatch',
    isRetryable: false,
  });
};

/** Its output is the input of the execution. */
export const manualTrigger: PluginHandle = {
  id: 'manualTrigger',
  name: 'Manual trigger',
  description: 'Starts the workflow by hand, or when another workflow runs it, with the given data',
  kind: 'trigger',
  firedBy: 'subworkflow',
  outputs: {
    main: Given.ifGiven('schema', Given.merged(closed(fired), Given.schemaIn('schema')), Type.Object(fired)),
  },
  schema: {
    type: 'object',
    properties: {
      schema: {
        type: 'object',
        title: 'Schema',
        format: 'json-schema',
        description:
          'JSON Schema of the input. Starts with another input are refused, and subworkflow nodes fail',
      },
    },
    required: [],
    additionalProperties: false,
  },
  example: {
    parameters: {},
    input: { orderId: 'A-1' },
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'manual', orderId: 'A-1' },
  },
  execute: ({ parameters: { schema } }, input, { services }) => {
    const output = {
      triggeredAt: new Date(services.clock.now()).toISOString(),
      triggerType: 'manual',
      ...input,
    };
    return schema === undefined ? output : requireFit(input, schema as JsonObject).then(() => output);
  },
};

const { id, name, description } = manualTrigger;

export default definePlugin({
  id,
  name,
  version: '1.0.0',
  description,
  category: 'trigger',
  handles: [manualTrigger],
});
