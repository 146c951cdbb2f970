import { describe, expect, test } from '@jest/globals';
import { layOut, NODE_SIZE } from '../src/parts/graph/graph-layout.ts';

const nodes = (...ids: readonly string[]) => ids.map((id) => ({ id, type: 'set' }));
const connect = (...pairs: readonly string[]) =>
  pairs.map((pair) => {
    const [sourceNodeId = '', targetNodeId = ''] = pair.split('>');
    return { sourceNodeId, targetNodeId };
  });

describe('a workflow is laid out', () => {
  test('left to right, in the order in which nodes run', () => {
    const { nodes: placed } = layOut({ nodes: nodes('a', 'b', 'c'), connections: connect('a>b', 'b>c') });
    const [a, b, c] = placed;
    expect([a?.x, a?.y]).toEqual([0, 0]);
    expect(b?.x).toBeGreaterThan(NODE_SIZE.width);
    expect(c?.x).toBeGreaterThan((b?.x ?? 0) + NODE_SIZE.width);
  });

  test('without overlaps, with branches, a loop, and a node that nothing leads to', () => {
    const { nodes: placed } = layOut({
      nodes: nodes('a', 'b', 'c', 'd', 'alone'),
      connections: connect('a>b', 'a>c', 'b>d', 'c>d', 'd>a', 'b>b'),
    });
    for (const one of placed)
      for (const other of placed) {
        if (one === other) continue;
        const isApart =
          Math.abs(one.x - other.x) >= NODE_SIZE.width || Math.abs(one.y - other.y) >= NODE_SIZE.height;
        expect([one.node.id, other.node.id, isApart]).toEqual([one.node.id, other.node.id, true]);
      }
  });

  test('with the connections that lead back, also to their own node', () => {
    const { connections } = layOut({
      nodes: nodes('a', 'b', 'c'),
      connections: connect('a>b', 'b>c', 'c>b', 'b>b'),
    });
    expect(connections.map(({ isBack }) => isBack)).toEqual([false, false, true, true]);
  });

  test('with the names of outputs but main, and several connections between two nodes', () => {
    const { connections } = layOut({
      nodes: nodes('a', 'b'),
      connections: [
        { sourceNodeId: 'a', sourceOutput: 'true', targetNodeId: 'b' },
        { sourceNodeId: 'a', sourceOutput: 'false', targetNodeId: 'b' },
        { sourceNodeId: 'a', targetNodeId: 'b' },
      ],
    });
    expect(connections.map(({ label }) => label)).toEqual(['true', 'false', null]);
    expect(new Set(connections.map(({ id }) => id)).size).toBe(3);
  });

  test('although a connection leads to a node that does not exist', () => {
    const { connections } = layOut({ nodes: nodes('a'), connections: connect('a>b', 'c>a') });
    expect(connections).toEqual([]);
  });

  test('when it has no nodes', () => {
    expect(layOut({ nodes: [] })).toEqual({ nodes: [], connections: [] });
  });
});

describe('branches are laid out in the order of the outputs', () => {
  const branch = (...pairs: readonly (readonly [output: string, target: string])[]) =>
    pairs.map(([sourceOutput, targetNodeId]) => ({ sourceNodeId: 'if', sourceOutput, targetNodeId }));
  const outputsOf = () => ['true', 'false'];
  const height = (id: string, definition: Parameters<typeof layOut>[0]) =>
    layOut(definition, outputsOf).nodes.find(({ node }) => node.id === id)?.y ?? Number.NaN;

  test('although the connections and nodes have another order', () => {
    const definition = {
      nodes: nodes('if', 'no', 'yes', 'end'),
      connections: [...branch(['false', 'no'], ['true', 'yes']), ...connect('no>end', 'yes>end')],
    };
    expect(height('yes', definition)).toBeLessThan(height('no', definition));
    const reversed = layOut(definition).nodes;
    expect(reversed[1]?.y).toBeLessThan(reversed[2]?.y ?? 0);
  });

  test('also if one has fewer nodes, or none', () => {
    const definition = {
      nodes: nodes('if', 'no', 'yes', 'more', 'end'),
      connections: [
        ...branch(['true', 'yes'], ['false', 'no']),
        ...connect('yes>more', 'more>end', 'no>end'),
      ],
    };
    expect(height('yes', definition)).toBeLessThan(height('no', definition));
    const direct = {
      nodes: nodes('if', 'no', 'yes', 'end'),
      connections: [...branch(['true', 'end'], ['false', 'no']), ...connect('no>yes', 'yes>end')],
    };
    expect(height('no', direct)).toBeGreaterThan(height('end', direct));
  });

  test('also in a loop; where connections would cross, nodes are moved', () => {
    const loop = {
      nodes: nodes('if', 'no', 'yes'),
      connections: [...branch(['true', 'yes'], ['false', 'no']), ...connect('yes>if')],
    };
    expect(height('yes', loop)).toBeLessThan(height('no', loop));
    const { nodes: placed } = layOut({
      nodes: nodes('a', 'b', 'c', 'd'),
      connections: connect('a>c', 'a>d', 'b>c'),
    });
    const [a, b, c, d] = placed;
    expect(Math.sign((a?.y ?? 0) - (b?.y ?? 0))).toBe(Math.sign((d?.y ?? 0) - (c?.y ?? 0)));
  });
});
