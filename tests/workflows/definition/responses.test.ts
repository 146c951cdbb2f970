import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { readResponses } from '../../../lib/workflows/definition/responses.ts';
import { toPublished } from '../../../lib/workflows/definition/to-path-configs.ts';
import { loadNodeTypes } from '../../../packages/cli/plugins/node-types.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

/** A node for each letter: its type, and the parameters that decide whether it is pure. */
const TYPES: Readonly<Record<string, object>> = {
  r: { type: 'respondToWebhook' },
  s: { type: 'set' },
  i: { type: 'if' },
  c: { type: 'httpRequest', parameters: { url: 'https://shop.example' } },
  w: { type: 'wait', parameters: { seconds: 6 } },
  a: { type: 'approval' },
  e: { type: 'forEach', parameters: { items: '{{ body }}' } },
  u: { type: 'subworkflow', parameters: { workflowId: 'other' } },
  j: { type: 'csv', parameters: { operation: 'stringify' } },
  f: { type: 'csv', parameters: { operation: 'parse', file: '{{ file }}' } },
  x: { type: 'madeUp' },
};

/** @param edges - as in `t -> r, r.error -> c1`; the first letter of an id is its type, `t` the trigger */
const aGraph = (edges: string, parameters: object = {}, top: object = { format: 2 }): WorkflowDefinition => {
  const connections = edges.split(', ').map((edge) => {
    const [from = '', targetNodeId = ''] = edge.split(' -> ');
    const [sourceNodeId = '', sourceOutput] = from.split('.');
    return { sourceNodeId, targetNodeId, ...(sourceOutput === undefined ? {} : { sourceOutput }) };
  });
  const ids = new Set(connections.flatMap(({ sourceNodeId, targetNodeId }) => [sourceNodeId, targetNodeId]));
  ids.delete('t');
  const trigger = { type: 'webhookTrigger', parameters: { responseMode: 'responseNode', ...parameters } };
  const nodes = [
    { id: 't', ...trigger },
    ...[...ids].sort().map((id) => ({ id, parameters: {}, ...(TYPES[id[0] ?? ''] as { type: string }) })),
  ];
  return { id: 'shop', name: 'Shop', enabled: true, nodes, connections, ...top };
};

const read = (definition: WorkflowDefinition) => {
  const responses = readResponses(definition, (index) => findNodeType(definition.nodes[index]?.type ?? ''));
  return { isEarly: responses.isEarly(0), follower: definition.nodes[responses.follower(0) ?? -1]?.id };
};

describe('in format 2, a response is early', () => {
  test.each([
    ['behind which a wait follows', 't -> r, r -> w', 'w'],
    ['behind which a call follows, however far down', 't -> r, r -> s1, s1 -> i, i.false -> c', 'c'],
    ['behind which an approval follows', 't -> r, r -> a', 'a'],
    ['behind which a loop follows', 't -> r, r -> e, e.each -> s', 'e'],
    ['behind which another workflow runs', 't -> r, r -> u', 'u'],
    ['behind which a file is read', 't -> r, r -> f', 'f'],
    ['behind which a node of an unknown type follows', 't -> r, r -> x', 'x'],
    ['with a call beside it', 't -> r, t -> c', 'c'],
    [
      'with a call in a branch beside it, from a node after the trigger',
      't -> s1, s1 -> r, s1 -> s2, s2 -> c',
      'c',
    ],
    ['with a call beside it on the same output', 't -> i, i.true -> r, i.true -> c', 'c'],
    ['of two, of which one waits for a call', 't -> r1, t -> c, c -> r2', 'c'],
    ['between two calls', 't -> c1, c1 -> r, r -> c2', 'c2'],
    ['in a loop with a call', 't -> c, c -> r, r -> i, i.true -> c', 'c'],
    ['of two branches, with a call behind one', 't -> i, i.true -> r1, i.false -> r2, r2 -> c', 'c'],
  ])('%s', (_what, edges, follower) => {
    expect(read(aGraph(edges))).toEqual({ isEarly: true, follower });
  });

  test('if it is one of many', () => {
    const many = Array.from({ length: 40 }, (_, at) => `t -> r${at}`).join(', ');
    expect(read(aGraph(`${many}, r39 -> c`))).toEqual({ isEarly: true, follower: 'c' });
    expect(read(aGraph(`${many}, t -> c`))).toEqual({ isEarly: true, follower: 'c' });
  });
});

describe('in format 2, a response is at the end', () => {
  test.each([
    ['of the run', 't -> c, c -> r'],
    ['of the run, before pure nodes', 't -> c, c -> r, r -> s, r -> j'],
    ['of a wait', 't -> w, w -> r'],
    ['of calls beside each other', 't -> c1, t -> c2, c1 -> r, c2 -> r'],
    ['of a loop', 't -> c, c -> i, i.true -> r, i.false -> w, w -> c'],
    ['of a branch, with a call in the other', 't -> i, i.true -> c, c -> r1, i.false -> r2'],
    ['of a branch, with a call in another without a response', 't -> i, i.true -> r, i.false -> c'],
    ['of a call, or of its failure', 't -> c1, c1 -> r1, c1.error -> c2, c2 -> r2'],
    ['of the run, with a call where it fails', 't -> r, r.error -> c'],
    ['of a body, whose caller is the loop', 't -> e, e.each -> r, r -> c, e -> r2'],
  ])('%s', (_what, edges) => {
    expect(read(aGraph(edges))).toEqual({ isEarly: false, follower: undefined });
  });

  test('if what follows is disabled, or it is disabled itself', () => {
    for (const id of ['r', 'c']) {
      const graph = aGraph('t -> r, r -> c');
      const nodes = graph.nodes.map((node) => (node.id === id ? { ...node, disabled: true } : node));
      expect(read({ ...graph, nodes })).toEqual({ isEarly: false, follower: undefined });
    }
  });
});

describe('whether a response is early', () => {
  const slow = 't -> r, r -> w';

  test.each([{}, { format: 1 }])('is said by the trigger alone with %j', (top) => {
    expect(read(aGraph(slow, {}, top))).toEqual({ isEarly: false, follower: 'w' });
    expect(read(aGraph(slow, { continueAfterResponse: true }, top)).isEarly).toBe(true);
  });

  test('is said by the trigger first', () => {
    expect(read(aGraph(slow, { continueAfterResponse: false })).isEarly).toBe(false);
    expect(read(aGraph('t -> r', { continueAfterResponse: true })).isEarly).toBe(true);
  });

  test.each(['onReceived', 'lastNode'])('is no question with %s', (responseMode) => {
    expect(read(aGraph(slow, { responseMode })).isEarly).toBe(false);
  });

  test('is decided when the workflow is stored, for each of its triggers', () => {
    const graph = aGraph(slow);
    const quick = { path: '/quick', responseMode: 'responseNode' };
    const nodes = [
      ...graph.nodes,
      { id: 'q', type: 'webhookTrigger', parameters: quick },
      { id: 'r9', ...TYPES.r },
    ];
    const connections = [...graph.connections, { sourceNodeId: 'q', targetNodeId: 'r9' }];
    const published = toPublished({ ...graph, nodes, connections } as WorkflowDefinition, findNodeType);
    expect(published.map(({ path, features }) => [path, features])).toEqual([
      ['/webhook', { continueAfterResponse: true }],
      ['/quick', null],
    ]);
  });
});
