import { nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { compileParameters } from '../../../lib/workflows/expressions/parameters.ts';
import data from '../../../nodes/data/data.plugin.ts';
import { checkSchema } from '../../../packages/authoring/validation/schema/check-schema.ts';
import { aScope } from '../../support/an-expression.ts';
import { runNodeType } from '../../support/run-node-type.ts';

describe.each(data.handles.map((handle) => [handle.id, handle] as const))('%s', (_id, handle) => {
  const { parameters = {}, input = {}, output } = handle.example ?? {};

  test('its schema takes its example', async () => {
    const resolved = (await compileParameters(parameters)?.(aScope({ input }))) ?? parameters;
    expect(checkSchema(handle.schema, resolved, '')).toEqual([]);
  });

  test('delivers what its example says', async () => {
    const result = await runNodeType(handle, parameters, input);
    if (output === undefined) expect(result).toHaveProperty('failure');
    else expect(result).toEqual({ outputs: { main: output } });
  });

  for (const { name, run } of nodeTypeChecks(handle)) test(name, run);
});
