import { describe, expect, test } from '@jest/globals';
import { NODE_SIZE } from '../src/parts/graph/graph-layout.ts';
import type { EditedDefinition, Point } from '../src/views/editor/definition/definition-edits.ts';
import { findPlaces } from '../src/views/editor/node-places.ts';

const outputsOf = () => ['main'];

/** Nodes `n0`, `n1` … in a row, each connected to the next. */
const row = (length: number, place?: (index: number) => Point): EditedDefinition => ({
  nodes: Array.from({ length }, (_, index) => ({
    id: `n${index}`,
    type: 'set',
    ...(place === undefined ? {} : { position: place(index) }),
  })),
  connections: Array.from({ length: length - 1 }, (_, index) => ({
    sourceNodeId: `n${index}`,
    targetNodeId: `n${index + 1}`,
  })),
});

const isOverlap = (one: Point, other: Point): boolean =>
  Math.abs(one.x - other.x) < NODE_SIZE.width && Math.abs(one.y - other.y) < NODE_SIZE.height;

describe('the places of nodes', () => {
  test('a small graph is laid out again when a node is inserted', () => {
    const before = findPlaces(row(2), outputsOf, new Map());
    const { nodes } = row(3);
    const connections = [
      { sourceNodeId: 'n0', targetNodeId: 'n2' },
      { sourceNodeId: 'n2', targetNodeId: 'n1' },
    ];
    const after = findPlaces({ nodes, connections }, outputsOf, before);
    expect(after.get('n2')).toEqual(before.get('n1'));
    expect(after.get('n1')?.x).toBeGreaterThan(after.get('n2')?.x ?? 0);
  });

  test('in a large graph a new node goes beside the one that leads to it, on no other; all others stay', () => {
    const own = (index: number) => ({ x: index * 308, y: 0 });
    const placed = row(500, own);
    const added: EditedDefinition = {
      nodes: [
        ...placed.nodes,
        { id: 'new', type: 'set' },
        { id: 'newer', type: 'set' },
        { id: 'free', type: 'set' },
      ],
      connections: [
        ...(placed.connections ?? []),
        { sourceNodeId: 'n7', targetNodeId: 'new' },
        { sourceNodeId: 'n7', targetNodeId: 'newer' },
      ],
    };
    const places = findPlaces(added, outputsOf, new Map());
    expect([...places.keys()]).toEqual(['new', 'newer', 'free']);
    expect(places.get('new')?.x).toBe(own(8).x);
    const all = [...places.values(), ...placed.nodes.map((_, index) => own(index))];
    const overlaps = all.filter((one, index) => all.slice(index + 1).some((other) => isOverlap(one, other)));
    expect(overlaps).toEqual([]);
  });

  test('a large graph without places is laid out once, and keeps what was found', () => {
    const before = findPlaces(row(150), outputsOf, new Map());
    expect(before.size).toBe(150);
    const after = findPlaces(row(151), outputsOf, before);
    expect([...after].slice(0, 150)).toEqual([...before]);
    expect(after.get('n150')?.x).toBeGreaterThan(before.get('n149')?.x ?? 0);
  });
});
