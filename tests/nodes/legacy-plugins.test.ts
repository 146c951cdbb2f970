import { describe, expect, test } from '@jest/globals';
import { adaptLegacy } from '../../lib/plugins/legacy-plugin.chunk.ts';
import eventTrigger from '../../lib/triggers/types/event-trigger.plugin.ts';
import noOp from '../../nodes/data/no-op.plugin.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { runNode } from '../support/a-node-context.ts';

test('one trigger and one action that are installed are written for the legacy API', () => {
  expect(installedPlugins.flatMap(({ id, api }) => (api === 'legacy' ? [id] : []))).toEqual([
    'noOp',
    'eventTrigger',
  ]);
});

describe('noOp', () => {
  const plugin = adaptLegacy('noOp', 'action', noOp);

  test('is a pure action without parameters', () => {
    expect(plugin.nodeTypes).toMatchObject([{ nodeType: 'noOp', kind: 'action', pure: true }]);
    expect(plugin.nodeTypes[0]?.schema).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });

  test('passes its input on, by an executor of its own name', async () => {
    const executor = await noOp.getExecutor();
    expect(executor.getNodeType()).toBe('noOp');
    expect(await runNode(executor, 'noOp', {}, { a: [1] })).toEqual({ a: [1] });
  });
});

describe('eventTrigger', () => {
  const plugin = adaptLegacy('eventTrigger', 'trigger', eventTrigger);

  test('is a trigger whose bus is "default", and which needs a pattern', () => {
    expect(plugin.nodeTypes[0]).toMatchObject({
      nodeType: 'eventTrigger',
      kind: 'trigger',
      firedBy: { register: expect.any(Function), unregister: expect.any(Function) },
      schema: {
        properties: { pattern: { type: 'object' }, bus: { type: 'string', default: 'default' } },
        required: ['pattern'],
        additionalProperties: false,
      },
    });
  });

  test('outputs the event, by an executor of its own name', async () => {
    const executor = await eventTrigger.getExecutor();
    expect(executor.getNodeType()).toBe('eventTrigger');
    expect(await runNode(executor, 'eventTrigger', {}, { event: { id: '1' } })).toEqual({
      triggeredAt: '2023-11-14T22:13:20.000Z',
      triggerType: 'event',
      event: { id: '1' },
    });
  });
});
