import { emit, type InnerResult, type JsonObject, type RunControl } from '@hookloom/plugin-kit';
import { namesOfOutputs } from '@hookloom/plugin-kit/host';
import { describe, expect, test } from '@jest/globals';
import { approval, wait } from '../../nodes/control/approval.ts';
import { forEach, subworkflow } from '../../nodes/control/control.plugin.ts';
import { aNodeContext, runNode } from '../support/a-node-context.ts';

/** What a node asked for, and what it was given. */
const aControl = (answers: Partial<RunControl> = {}) => {
  const asked: unknown[] = [];
  const control: RunControl = {
    wait: async (seconds) => void asked.push(['wait', seconds]),
    openCallback: async (timeoutSeconds) => {
      asked.push(['callback', timeoutSeconds]);
      return { url: 'https://x/y', expiresAt: 1_700_000_060_000, answer: async () => null };
    },
    runBodies: async (items, maxConcurrency) => {
      asked.push(['bodies', items, maxConcurrency]);
      return items.map((output): InnerResult => ({ output }));
    },
    runWorkflow: async (id, input) => {
      asked.push(['workflow', id, input]);
      return { output: { of: id } };
    },
    ...answers,
  };
  return { asked, context: aNodeContext({ control }) };
};

describe('wait', () => {
  const run = async (parameters: JsonObject) => {
    const { asked, context } = aControl();
    const output = await runNode(wait, 'wait', parameters, { a: 1 }, context);
    return { asked, output };
  };

  // holds: waits-cost-nothing
  test.each<[JsonObject, unknown[]]>([
    [{ seconds: 90 }, [['wait', 90]]],
    [{ until: '2023-11-14T22:14:20Z' }, [['wait', 60]]],
    [{ until: '2023-11-14T23:14:20+01:00' }, [['wait', 60]]],
    [{ until: '2023-11-14T22:00:00Z' }, []],
  ])('%j asks for %j, and passes its input on', async (parameters, asked) => {
    expect(await run(parameters)).toEqual({ asked, output: { a: 1 } });
  });

  test.each<[JsonObject, string]>([
    [{ until: 'tomorrow' }, 'ISO 8601 with a time zone, such as'],
    [{ until: '2023-11-14T22:14:20' }, 'with a time zone'],
    [{ until: '2023-13-45T22:14:20Z' }, 'an ISO 8601 time'],
    [{ until: '2023-11-31T22:14:20Z' }, 'of a date that exists'],
    [{ until: '2023-11-14T22:14:20+25:00' }, 'of a date that exists'],
    [{ until: 5 }, 'got number'],
    [{ until: '2025-11-14T22:14:20Z' }, 'within a year'],
    [{ seconds: 99_999_999 }, 'from 0 to 31622400'],
    [{ seconds: '5' }, 'got string'],
  ])('refuses %j', async (parameters, message) => {
    await expect(run(parameters)).rejects.toThrow(message);
  });

  test.each<[JsonObject, JsonObject[]]>([
    [{ until: '2026-11-31T09:00:00Z' }, [{ path: '/until', message: 'must be a date and time that exists' }]],
    [{ until: '2026-11-30T09:00:00Z' }, []],
    [{ until: '{{ dueAt }}' }, []],
    [{ seconds: 1 }, []],
  ])('%j is checked before a run: %j', async (parameters, problems) => {
    expect(await wait.checkParameters?.(parameters)).toEqual(problems);
  });
});

test('a control node fails with a clear error where there is no run to control', async () => {
  await expect(runNode(wait, 'wait', { seconds: 1 })).rejects.toThrow('its context has no control');
});

describe('approval', () => {
  test('passes on the callback URL, then continues as decided', async () => {
    const decision = { decision: 'approve', body: { by: 'Ada' }, decidedAt: 'now' };
    const { asked, context } = aControl({
      openCallback: async () => ({ url: 'u', expiresAt: 0, answer: async () => ({ value: decision }) }),
    });
    expect(await runNode(approval, 'approval', {}, { id: 7 }, context)).toEqual(
      emit({ approved: { id: 7, approval: decision } }),
    );
    expect(asked).toEqual([
      ['bodies', [{ id: 7, approval: { url: 'u', expiresAt: '1970-01-01T00:00:00.000Z' } }], undefined],
    ]);
  });

  test('waits for a day by default, then continues without an answer', async () => {
    const { asked, context } = aControl();
    expect(await runNode(approval, 'approval', {}, { id: 7 }, context)).toEqual(
      emit({ timedOut: { id: 7 } }),
    );
    expect(asked[0]).toEqual(['callback', 86_400]);
  });
});

describe('forEach', () => {
  test('passes on every item with its index, as many at once as configured', async () => {
    const { asked, context } = aControl();
    const output = await runNode(forEach, 'forEach', { items: ['a', null], maxConcurrency: 5 }, {}, context);
    expect(asked).toEqual([
      [
        'bodies',
        [
          { item: 'a', index: 0 },
          { item: null, index: 1 },
        ],
        5,
      ],
    ]);
    expect(output).toEqual({
      results: [
        { item: 'a', index: 0 },
        { item: null, index: 1 },
      ],
      failures: [],
    });
  });

  test('counts the failures that it does not list', async () => {
    const failure = { nodeId: 'n', name: 'Error', message: 'no' };
    const { context } = aControl({ runBodies: async (items) => items.map(() => ({ failure })) });
    await expect(runNode(forEach, 'forEach', { items: [1, 2, 3] }, {}, context)).rejects.toThrow(
      'item 0 failed at the node "n", and 2 more: no',
    );
  });
});

test.each([
  [approval, ['requested', 'approved', 'rejected', 'timedOut']],
  [forEach, ['each', 'main']],
] as const)('nodes deliver only on declared outputs, including their body', (handle, outputs) => {
  expect(namesOfOutputs(handle.outputs ?? [], {})).toEqual(outputs);
  expect(outputs).toContain(handle.control?.bodyOutput);
});

describe('subworkflow', () => {
  test('receives its input, or the input of the node', async () => {
    const { asked, context } = aControl();
    expect(await runNode(subworkflow, 'subworkflow', { workflowId: 'w' }, { a: 1 }, context)).toEqual({
      of: 'w',
    });
    await runNode(subworkflow, 'subworkflow', { workflowId: 'w', input: { b: 2 } }, { a: 1 }, context);
    expect(asked).toEqual([
      ['workflow', 'w', { a: 1 }],
      ['workflow', 'w', { b: 2 }],
    ]);
  });

  test('fails as the subworkflow fails, with the place', async () => {
    const failure = { nodeId: 'n', name: 'Error', message: 'no' };
    const { context } = aControl({ runWorkflow: async () => ({ failure }) });
    await expect(runNode(subworkflow, 'subworkflow', { workflowId: 'w' }, {}, context)).rejects.toThrow(
      'workflow "w" failed at the node "n": no',
    );
  });
});
