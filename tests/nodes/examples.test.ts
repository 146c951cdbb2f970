import { Emission, isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { namesOfOutputs } from '@hookloom/plugin-kit/host';
import { describe, expect, test } from '@jest/globals';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { describeNodeType } from '../../lib/plugins/reference/describe-node-type.ts';
import { addFeatures } from '../../lib/webhooks/features/add-features.chunk.ts';
import { compileParameters } from '../../lib/workflows/expressions/parameters.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aDelivery, aNodeContext, runNode } from '../support/a-node-context.ts';
import { silent } from '../support/a-run.ts';
import { aScope } from '../support/an-expression.ts';

const clock = aManualClock(Date.parse('2026-01-01T00:00:00.000Z'));
const { plugins, findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock });
const nodeTypes = plugins.flatMap(({ plugin }) => plugin?.nodeTypes ?? []);

/** Places of the parameters that have no description, those within objects and lists included. */
const undescribed = (schema: unknown, place = ''): string[] => {
  if (!isPlainObject(schema)) return [];
  const { properties, items, oneOf, anyOf } = schema;
  const own = Object.entries(isPlainObject(properties) ? properties : {}).flatMap(([name, value]) => [
    ...(isPlainObject(value) && typeof value.description === 'string' ? [] : [`${place}.${name}`]),
    ...undescribed(value, `${place}.${name}`),
  ]);
  const inner = [items, oneOf, anyOf].flat().flatMap((branch) => undescribed(branch, place));
  return [...own, ...inner];
};

describe.each(nodeTypes.map((nodeType) => [nodeType.nodeType, nodeType] as const))('%s', (type, nodeType) => {
  const { kind, pure, schema, example } = nodeType;
  const { parameters = {}, output = {} } = example ?? {};
  // What fires a trigger is its output already.
  const input = example?.input ?? (kind === 'trigger' ? output : {});

  test('describes each of its parameters', () => {
    expect(undescribed(schema)).toEqual([]);
  });

  const hasOutput = namesOfOutputs(nodeType.outputs, nodeType.example?.parameters ?? {}).length > 0;

  test('has an example, with an output if it has outputs, and with an input if it is an action', () => {
    expect(example).toMatchObject({ parameters: expect.any(Object) });
    expect(example?.output).toEqual(hasOutput ? expect.any(Object) : undefined);
    if (kind === 'action') expect(example).toHaveProperty('input');
  });

  test('declares what each of its outputs delivers', () => {
    const { outputs, outputSchemas } = addFeatures(describeNodeType(nodeType));
    expect(Object.keys(outputSchemas)).toEqual(outputs);
  });

  const resolve = async (): Promise<JsonObject> =>
    (await compileParameters(parameters)?.(aScope({ input }))) ?? parameters;

  test('has an example whose resolved parameters match its schema', async () => {
    expect(checkSchema(schema, await resolve(), '')).toEqual([]);
  });

  if (pure && hasOutput) {
    test('delivers the example’s output', async () => {
      const { services, ...context } = aNodeContext({ inputs: [aDelivery('before', input)] });
      const executor = await findNodeType(type)?.getExecutor();
      if (executor === undefined) throw new Error(`${type} is not loaded`);
      const result = await runNode(executor, type, await resolve(), input, {
        ...context,
        services: { ...services, clock },
      });
      const delivered = result instanceof Emission ? Object.values(result.outputs) : [result];
      expect(delivered).toContainEqual(output);
    });
  }
});
