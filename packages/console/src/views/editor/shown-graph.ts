import { type Edge, MarkerType, type Node } from '@xyflow/react';
import { useMemo, useRef, useState } from 'react';
import type { OutputsOf } from '../../parts/graph/graph-layout.ts';
import { isSameJson } from './definition/compare-json.ts';
import {
  type EditedConnection,
  type EditedDefinition,
  isPoint,
  type Point,
} from './definition/definition-edits.ts';
import { findPlaces } from './node-places.ts';

// What React Flow gets. It draws and measures every new object, so that what has not changed stays the same object.

interface Shown extends Record<string, unknown> {
  readonly title: string;
  readonly detail: string;
  /** Joined, so that a node is drawn again only if one changes. */
  readonly outputs: string;
  readonly hasInput: boolean;
  readonly isDisabled: boolean;
  readonly isFaulty: boolean;
}

export type ShownNode = Node<Shown, 'step'>;

const NO_PLACES: ReadonlyMap<string, Point> = new Map();

/** Places of all nodes: their own, or those that the layout finds. */
export const usePlaces = (definition: EditedDefinition, outputsOf: OutputsOf): ReadonlyMap<string, Point> => {
  const { nodes, connections } = definition;
  const isLaidOut = nodes.some(({ position }) => !isPoint(position));
  const shape = isLaidOut
    ? JSON.stringify([
        nodes.map(({ id }) => [id, outputsOf(id)]),
        connections?.map(({ sourceNodeId, sourceOutput, targetNodeId }) => [
          sourceNodeId,
          sourceOutput,
          targetNodeId,
        ]),
      ])
    : '';
  const [found, setFound] = useState<{ readonly shape: string; readonly places: ReadonlyMap<string, Point> }>(
    () => ({
      shape,
      places: isLaidOut ? findPlaces(definition, outputsOf, NO_PLACES) : NO_PLACES,
    }),
  );
  let { places } = found;
  // A layout depends on nothing but the shape.
  if (isLaidOut && found.shape !== shape) {
    places = findPlaces(definition, outputsOf, places);
    setFound({ shape, places });
  }
  return useMemo(
    () =>
      new Map(
        nodes.map(({ id, position }) => [
          id,
          isPoint(position) ? position : (places.get(id) ?? { x: 0, y: 0 }),
        ]),
      ),
    [nodes, places],
  );
};

/** The nodes to show, as the same objects where nothing changed, since React Flow draws and measures every new object. */
export const keepSame = (shown: readonly ShownNode[], next: readonly ShownNode[]): ShownNode[] => {
  const byId = new Map(shown.map((node) => [node.id, node]));
  return next.map((node) => {
    const former = byId.get(node.id);
    if (former === undefined) return node;
    return isShownAlike(former, node) ? former : { ...former, ...node };
  });
};

const isShownAlike = (one: ShownNode, other: ShownNode): boolean =>
  one.position.x === other.position.x &&
  one.position.y === other.position.y &&
  one.selected === other.selected &&
  one.ariaLabel === other.ariaLabel &&
  isSameJson(one.domAttributes, other.domAttributes) &&
  isSameJson(one.data, other.data);

/** The connections to show, each once, as the same objects where nothing changed, like the nodes. */
export const useEdges = ({ nodes, connections = NO_CONNECTIONS }: EditedDefinition): Edge[] => {
  // A change within a node leaves the lines as they are.
  const ids = useSame(nodes.map(({ id }) => id));
  const drawn = useRef(NO_EDGES);
  return useMemo(() => {
    const known = new Set(ids);
    const next = new Map<string, Edge>();
    for (const connection of connections) {
      if (!known.has(connection.sourceNodeId) || !known.has(connection.targetNodeId)) continue;
      const id = edgeIdOf(connection);
      next.set(id, drawn.current.get(id) ?? toEdge(id, connection));
    }
    drawn.current = next;
    return [...next.values()];
  }, [ids, connections]);
};

/** Says all that is drawn of a connection, so that an edge never changes. */
export const edgeIdOf = ({ sourceNodeId, sourceOutput = 'main', targetNodeId }: EditedConnection): string =>
  JSON.stringify([sourceNodeId, sourceOutput, targetNodeId]);

const toEdge = (
  id: string,
  { sourceNodeId, sourceOutput = 'main', targetNodeId }: EditedConnection,
): Edge => ({
  id,
  source: sourceNodeId,
  target: targetNodeId,
  sourceHandle: sourceOutput,
  type: 'smoothstep',
  focusable: false,
  markerEnd: MARKER,
  ...(sourceOutput === 'main' ? {} : { label: sourceOutput }),
});

const NO_EDGES: ReadonlyMap<string, Edge> = new Map();
const NO_CONNECTIONS: readonly EditedConnection[] = [];
const MARKER = { type: MarkerType.ArrowClosed };

/** The same object as long as the value is written alike. */
const useSame = <Value>(value: Value): Value => {
  const [same, setSame] = useState(value);
  if (isSameJson(same, value)) return same;
  setSame(value);
  return value;
};
