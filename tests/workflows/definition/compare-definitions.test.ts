import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareDefinitions } from '../../../lib/workflows/definition/compare-definitions.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';

const before: WorkflowDefinition = {
  id: 'orders',
  name: 'Orders',
  enabled: true,
  nodes: [
    { id: 'start', type: 'webhookTrigger', parameters: { path: '/orders' } },
    {
      id: 'call',
      type: 'httpRequest',
      parameters: { url: 'https://a', headers: { 'x/y': '1' }, tags: [1, 2] },
    },
  ],
  connections: [{ sourceNodeId: 'start', targetNodeId: 'call' }],
};

const none = {
  nodes: { added: [], removed: [], changed: [] },
  connections: { added: [], removed: [] },
  workflow: [],
};
const compare = (changes: Partial<WorkflowDefinition>) =>
  compareDefinitions(before, { ...before, ...changes });
const [start, call] = before.nodes as [
  WorkflowDefinition['nodes'][number],
  WorkflowDefinition['nodes'][number],
];

describe('the difference of two definitions', () => {
  test('has nodes that were added and removed', () => {
    const added = { id: 'log', type: 'noOp', parameters: {} };
    expect(compare({ nodes: [start, added] })).toEqual({
      ...none,
      nodes: { added: [added], removed: [call], changed: [] },
    });
  });

  test('names each changed parameter by its pointer in the node', () => {
    const parameters = { url: 'https://b', headers: { 'x/y': '2' }, tags: [1], body: null };
    expect(compare({ nodes: [start, { ...call, parameters, disabled: true }] }).nodes.changed).toEqual([
      {
        id: 'call',
        changes: [
          { path: '/parameters/url', from: 'https://a', to: 'https://b' },
          { path: '/parameters/headers/x~1y', from: '1', to: '2' },
          { path: '/parameters/tags', from: [1, 2], to: [1] },
          { path: '/parameters/body', to: null },
          { path: '/disabled', to: true },
        ],
      },
    ]);
  });

  test('has a removed key without a new value', () => {
    const { url: _, ...parameters } = call.parameters;
    expect(compare({ nodes: [start, { ...call, parameters }] }).nodes.changed).toEqual([
      { id: 'call', changes: [{ path: '/parameters/url', from: 'https://a' }] },
    ]);
  });

  test('has connections by what they connect: an output that is written out is not a change', () => {
    const same = { sourceNodeId: 'start', sourceOutput: 'main', targetNodeId: 'call' };
    const other = { sourceNodeId: 'call', targetNodeId: 'start' };
    expect(compare({ connections: [other, same] }).connections).toEqual({ added: [other], removed: [] });
  });

  test('has everything else of the workflow', () => {
    expect(compare({ name: 'New', settings: { execution: 'express' } }).workflow).toEqual([
      { path: '/name', from: 'Orders', to: 'New' },
      { path: '/settings', to: { execution: 'express' } },
    ]);
  });

  test('does not depend on the order of nodes', () => {
    expect(compare({ nodes: [call, start] })).toEqual(none);
  });

  test('of any definition with itself is empty', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (parameters) => {
        const changed = { nodes: [start, { ...call, parameters: parameters as never }] };
        const definition = { ...before, ...changed };
        expect(compareDefinitions(definition, structuredClone(definition))).toEqual(none);
      }),
    );
  });
});
