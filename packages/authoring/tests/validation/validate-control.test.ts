import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../../lib/adapters/runtime/logger.ts';
import { systemClock } from '../../../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../../../lib/plugins/load-registry.ts';
import { resolveExecution } from '../../../../lib/workflows/definition/resolve-execution.ts';
import { installedPlugins } from '../../../../nodes/installed.ts';
import { type AFlow, aFlow } from '../../../../tests/support/a-background-service.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;

beforeAll(async () => {
  const registry = await loadRegistry(installedPlugins, {
    logger: createLogger({ write: () => {} }),
    clock: systemClock,
  });
  findNodeType = registry.findNodeType;
});

const problemsOf = async (flow: AFlow) => (await validateWorkflow(aFlow(flow), findNodeType)).problems;

const pass = (id: string) => ({ id, type: 'set', parameters: { values: {} } });
const each = { id: 'each', type: 'forEach', parameters: { items: '{{ body }}' } };
const pause = { id: 'pause', type: 'wait', parameters: { seconds: 5 } };

describe('a workflow that waits', () => {
  test.each([{ execution: 'durable' } as const, {}, { timeoutSeconds: 31_622_400 }])(
    'may use %j',
    async (settings) => {
      expect(await problemsOf({ nodes: [pause], edges: ['start -> pause'], settings })).toEqual([]);
    },
  );

  test('may not be express', async () => {
    const settings = { execution: 'express' } as const;
    expect(await problemsOf({ nodes: [pause], edges: ['start -> pause'], settings })).toEqual([
      {
        path: '/settings/execution',
        message: 'express runs can\'t wait, but "pause" does: use durable, or remove this setting',
        proposal: [{ op: 'remove', path: '/settings' }],
      },
    ]);
    const loop = { nodes: [each, pass('a')], edges: ['start -> each', 'each.each -> a'], settings };
    expect(await problemsOf(loop)).toEqual([]);
  });
});

test('atMostOnce and several attempts contradict each other', async () => {
  const node = { id: 'call', type: 'httpRequest', parameters: { url: 'https://example.com' } };
  const settings = { atMostOnce: true, retry: { maxAttempts: 3 } };
  expect(await problemsOf({ nodes: [{ ...node, settings }], edges: ['start -> call'] })).toEqual([
    { path: '/nodes/1/settings/atMostOnce', message: 'contradicts retry.maxAttempts 3' },
  ]);
  const once = { ...node, settings: { atMostOnce: true } };
  expect(await problemsOf({ nodes: [once], edges: ['start -> call'] })).toEqual([]);
});

describe('the body of a loop node', () => {
  test.each<[string, AFlow]>([
    [
      'a chain',
      { nodes: [each, pass('a'), pass('b')], edges: ['start -> each', 'each.each -> a', 'a -> b'] },
    ],
    [
      'beside what comes after the node',
      { nodes: [each, pass('a'), pass('end')], edges: ['start -> each', 'each.each -> a', 'each -> end'] },
    ],
    [
      'empty, where the node does something without it',
      {
        nodes: [{ id: 'ask', type: 'approval', parameters: {} }, pass('end')],
        edges: ['start -> ask', 'ask.approved -> end'],
      },
    ],
    [
      'with another one in it',
      {
        nodes: [each, { ...each, id: 'inner' }, pass('a')],
        edges: ['start -> each', 'each.each -> inner', 'inner.each -> a'],
      },
    ],
  ])('may be %s', async (_what, flow) => {
    expect(await problemsOf(flow)).toEqual([]);
  });

  test('is entered only through the node', async () => {
    const flow = {
      nodes: [each, pass('a'), pass('b')],
      edges: ['start -> each', 'each.each -> a', 'start -> b', 'b -> a'],
    };
    expect(await problemsOf(flow)).toEqual([
      {
        path: '/connections/3',
        message: '"a" is in the body of "each" (output "each"): no node outside that body can connect to it',
      },
    ]);
  });

  test('does not lead out or back', async () => {
    const out = {
      nodes: [each, pass('a'), pass('end')],
      edges: ['start -> each', 'each.each -> a', 'each -> end', 'a -> end'],
    };
    expect(await problemsOf(out)).toMatchObject([{ path: '/connections/2' }]);
    const back = { nodes: [each, pass('a')], edges: ['start -> each', 'each.each -> a', 'a -> each'] };
    expect(await problemsOf(back)).toMatchObject([
      { path: '/nodes/1', message: expect.stringContaining('must not connect back to the loop node') },
    ]);
  });
});

describe('deduplication', () => {
  const trigger = (deduplication: string) => ({
    ...aFlow({ nodes: [], edges: [] }),
    nodes: [{ id: 'start', type: 'webhookTrigger', parameters: { deduplication } }],
  });

  test.each(['github', 'body.id', 'body.a & body.b'])('may be %j', async (text) => {
    expect((await validateWorkflow(trigger(text), findNodeType)).problems).toEqual([]);
  });

  test.each(['body.(', '$eval("1")'])('is refused when it is %j', async (text) => {
    expect((await validateWorkflow(trigger(text), findNodeType)).problems).toMatchObject([
      { path: '/nodes/0/parameters/deduplication' },
    ]);
  });
});

describe('how a workflow runs in the background', () => {
  test.each<[string, AFlow, string]>([
    ['pure nodes', { nodes: [pass('a')], edges: [] }, 'express'],
    ['a node that touches the outside', { nodes: [{ id: 'c', type: 'httpRequest' }], edges: [] }, 'durable'],
    ['a node that waits', { nodes: [pause], edges: [] }, 'durable'],
    ['what it says', { nodes: [pass('a')], edges: [], settings: { execution: 'durable' } }, 'durable'],
    [
      'what it says, for volume',
      { nodes: [{ id: 'c', type: 'httpRequest' }], edges: [], settings: { execution: 'express' } },
      'express',
    ],
  ])('depends on %s', (_what, flow, mode) => {
    expect(resolveExecution(aFlow(flow), findNodeType)).toBe(mode);
  });
});

describe('a workflow that starts itself gets a warning and can be stored', () => {
  const warningsOf = async (node: object, id = 'order') => {
    const flow = {
      ...aFlow({ nodes: [{ id: 'next', ...node } as typeof pause], edges: ['start -> next'] }),
      id,
    };
    const { problems, warnings } = await validateWorkflow(flow, findNodeType);
    expect(problems).toEqual([]);
    return warnings.map(({ path, message }) => `${path} ${message}`);
  };
  const call = (url: string, changes: object = {}) => ({
    type: 'httpRequest',
    parameters: { url },
    ...changes,
  });
  const self = [
    expect.stringMatching(/^\/nodes\/1\/parameters\/url is the webhook of this workflow, "order",/),
  ];

  test.each([
    'https://hooks.example.com/api/webhook/order/webhook',
    'https://hooks.example.com/api/webhook/order',
    'https://hooks.example.com/base/api/webhook/order/a?b={{ body.c }}',
    'https://{{ body.host }}/api/webhook/order/webhook',
  ])('when it calls %s', async (url) => {
    expect(await warningsOf(call(url))).toEqual(self);
  });

  test.each([
    'https://hooks.example.com/api/webhook/orders/webhook',
    'https://hooks.example.com/api/webhook/other/webhook',
    'https://hooks.example.com/order',
  ])('but not when it calls %s', async (url) => {
    expect(await warningsOf(call(url))).toEqual([]);
  });

  test('but not from a disabled node', async () => {
    const url = 'https://hooks.example.com/api/webhook/order/webhook';
    expect(await warningsOf(call(url, { disabled: true }))).toEqual([]);
  });

  test('when it runs itself as a subworkflow', async () => {
    const run = (workflowId: string) => ({ type: 'subworkflow', parameters: { workflowId } });
    expect(await warningsOf(run('order'))).toEqual([
      '/nodes/1/parameters/workflowId runs its own workflow: unless a condition stops it, it fails after ten levels',
    ]);
    expect(await warningsOf(run('other'))).toEqual([]);
  });
});
