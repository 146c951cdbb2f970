import { describe, expect, test } from '@jest/globals';
import { findLoops } from '../../../lib/workflows/plan/route.ts';

/** `0>1 1>2 2>1`; nodes are reached in their own order unless it is given. */
const loopsOf = (text: string, reachable?: number[]) => {
  const edges = text.split(' ').map((edge) => {
    const [source = 0, target = 0] = edge.split('>').map(Number);
    return { source, target };
  });
  const nodeCount = edges.reduce((most, { source, target }) => Math.max(most, source, target), 0) + 1;
  const outgoing: number[][] = Array.from({ length: nodeCount }, () => []);
  edges.forEach(({ source }, edge) => {
    outgoing[source]?.push(edge);
  });
  return findLoops({ edges, outgoing }, reachable ?? [...outgoing.keys()]);
};

describe('the loops of a graph', () => {
  test('are none in an acyclic graph', () => {
    expect(loopsOf('0>1 0>2 1>3 2>3')).toEqual([]);
  });

  test('include a node that leads to itself', () => {
    expect(loopsOf('0>1 1>1')).toEqual([{ header: 1, nodes: [1], parent: -1, backEdges: [1] }]);
  });

  test('have the node reached first as the header, and all edges to it as back edges', () => {
    expect(loopsOf('0>1 1>2 1>3 2>1 3>1')).toEqual([
      { header: 1, nodes: [1, 2, 3], parent: -1, backEdges: [3, 4] },
    ]);
  });

  test('are nested, the outer one first', () => {
    expect(loopsOf('0>1 1>2 2>3 3>2 3>1')).toEqual([
      { header: 1, nodes: [1, 2, 3], parent: -1, backEdges: [4] },
      { header: 2, nodes: [2, 3], parent: 0, backEdges: [3] },
    ]);
  });

  test('have one header even with two entries', () => {
    expect(loopsOf('0>1 0>2 1>2 2>1')).toEqual([{ header: 1, nodes: [1, 2], parent: -1, backEdges: [3] }]);
  });

  test('exclude unreachable nodes', () => {
    expect(loopsOf('0>1 2>3 3>2', [0, 1])).toEqual([]);
  });

  test('in sequence are two', () => {
    expect(loopsOf('0>1 1>0 1>2 2>3 3>2').map(({ header, parent }) => [header, parent])).toEqual([
      [2, -1],
      [0, -1],
    ]);
  });

  test('of 10,000 nodes need no more stack than small ones', () => {
    const edges = Array.from({ length: 10_000 }, (_, node) => `${node}>${(node + 1) % 10_000}`);
    expect(loopsOf(edges.join(' '))).toHaveLength(1);
  });
});
