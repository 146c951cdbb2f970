import type { NodeContext, Usage } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { createJournalingSteps } from '../../lib/engine/checkpoint-journal.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { dropData } from '../../lib/executions/record/pack-result.ts';
import { type ANode, type ARun, type Behaviour, runGraph } from '../support/a-run.ts';

/** The record of a node that is no trigger. */
const recordOf = async (node: ANode, run: Partial<ARun> = {}): Promise<NodeRecord | undefined> => {
  const { nodes } = await runGraph({ nodes: { asks: node }, edges: ['start -> asks'], ...run });
  return nodes.find(({ nodeId }) => nodeId === 'asks');
};

const asks =
  (behave: (context: NodeContext) => object | Promise<never>): Behaviour =>
  async (_node, _input, context) => {
    context.addUsage({ inputTokens: 10, outputTokens: 1 });
    await behave(context);
    context.addUsage({ inputTokens: 5 });
    return {};
  };

const throws = (): never => {
  throw new Error('no');
};

test.each<[string, ANode, Usage]>([
  ['succeeds', { pure: false, does: asks(() => ({})) }, { inputTokens: 15, outputTokens: 1 }],
  ['is pure', { does: asks(() => ({})) }, { inputTokens: 15, outputTokens: 1 }],
  ['fails', { pure: false, does: asks(throws) }, { inputTokens: 10, outputTokens: 1 }],
  [
    'is out of time',
    { pure: false, does: asks(() => new Promise(() => {})), settings: { timeoutSeconds: 1 } },
    { inputTokens: 10, outputTokens: 1 },
  ],
  [
    'fails at first',
    {
      pure: false,
      does: asks(({ attempt }) => (attempt === 1 ? throws() : {})),
      settings: { retry: { maxAttempts: 2 } },
    },
    { inputTokens: 15, outputTokens: 1 },
  ],
])(
  'the record of a node that %s has the usage of its last attempt, without its data',
  async (_case, node, usage) => {
    const record = await recordOf(node);
    const [view] = dropData(record === undefined ? [] : [record]);
    expect(view).toMatchObject({ usage });
    expect(view?.outputs).toBeUndefined();
  },
);

test('a node that counts nothing has no usage', async () => {
  expect(await recordOf({ pure: false })).not.toHaveProperty('usage');
});

test('a node that another one aborts has the usage so far', async () => {
  const nodes = {
    asks: { pure: false, does: asks(() => new Promise(() => {})) },
    fails: { pure: false, does: throws },
  };
  const record = await recordOf({}, { nodes, edges: ['start -> asks', 'start -> fails'] });
  expect(record).toMatchObject({ status: 'failed', usage: { inputTokens: 10, outputTokens: 1 } });
});

test('a checkpoint has the usage, so that a replay records the same', async () => {
  const journal = new Map();
  const steps: ARun['steps'] = (clock) => createJournalingSteps(inlineSteps(clock), journal, String);
  const first = await recordOf({ pure: false, does: asks(() => ({})) }, { steps });
  const replayed = await recordOf({ pure: false, does: throws }, { steps });
  expect(replayed?.usage).toEqual(first?.usage);
});

test('an amount may be zero, and a node may use 20 names of up to 40 characters', async () => {
  const names = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${'a'.repeat(37)}-${index + 10}`, 0]),
  );
  const record = await recordOf({
    does: (_node, _input, context) => {
      context.addUsage(names);
      return {};
    },
  });
  expect(record).toMatchObject({ status: 'succeeded', usage: names });
});

test('what a node counts after its time is up is not added to its next attempt', async () => {
  const record = await recordOf({
    pure: false,
    settings: { retry: { maxAttempts: 2 }, timeoutSeconds: 1 },
    does: async (_node, _input, { attempt, addUsage, services }) => {
      addUsage({ calls: 1 });
      await services.clock.sleep(attempt === 1 ? 2_500 : 900);
      addUsage({ calls: 10 ** attempt });
      return {};
    },
  });
  expect(record).toMatchObject({ status: 'succeeded', attempts: 2, usage: { calls: 101 } });
});

test.each<[string, Usage]>([
  ['named like a prototype', JSON.parse('{"__proto__":1}')],
  ['named with nothing', { '': 1 }],
  ['below zero', { tokens: -1 }],
  ['not finite', { tokens: Number.POSITIVE_INFINITY }],
  ['no number', { tokens: Number.NaN }],
  ['of a name with other characters', { 'a b': 1 }],
  ['of a name that is too long', { [`${'a'.repeat(41)}`]: 1 }],
  ['of more than 20 names', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, 1]))],
])('an amount that is %s fails the node', async (_case, amounts) => {
  const record = await recordOf({
    does: (_node, _input, context) => {
      context.addUsage(amounts);
      return {};
    },
  });
  expect(record?.failure).toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining('addUsage() takes'),
  });
});
