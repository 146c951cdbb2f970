import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { aWorkflow } from '../../../../tests/support/a-workflow.ts';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const validate = (top: object) => validateWorkflow({ ...aWorkflow(), ...top }, findNodeType);

describe('the format of a workflow file', () => {
  test.each([{}, { format: 1 }, { format: 2 }])('can be the one in %j, and is kept', async (top) => {
    const { definition, problems, warnings } = await validate(top);
    expect([problems, warnings]).toEqual([[], []]);
    expect(definition).toEqual({ ...aWorkflow(), ...top });
  });

  test.each([0, 3, 2.5, '2', null, [2]])('is refused if it is %j', async (format) => {
    expect((await validate({ format })).problems).toEqual([
      { path: '/format', message: 'must be 1 or 2: this release knows no other format' },
    ]);
  });
});

describe('a key that a workflow does not have', () => {
  const unread = {
    path: '/meta~1data',
    message: 'is a key that a workflow does not have: nothing reads it',
    proposal: [{ op: 'remove', path: '/meta~1data' }],
  };
  const meta = { 'meta/data': { by: 'another tool' } };

  test.each([{}, { format: 1 }])('is named in a file with %j, and kept', async (format) => {
    const { definition, problems, warnings } = await validate({ ...format, ...meta });
    expect([problems, warnings]).toEqual([[], [{ ...unread, severity: 'warning' }]]);
    expect(definition).toMatchObject(meta);
  });

  test('is refused in format 2', async () => {
    expect(await validate({ format: 2, ...meta })).toMatchObject({ definition: null, problems: [unread] });
  });

  test('is named once if it is misspelt', async () => {
    for (const format of [1, 2])
      expect((await validate({ format, setings: {} })).problems).toMatchObject([
        { path: '', message: 'has the unknown key "setings"; did you mean "settings"?' },
      ]);
  });
});
