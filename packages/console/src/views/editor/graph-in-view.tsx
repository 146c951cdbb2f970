import { MiniMap, type ReactFlowState, useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { FIT } from '../../parts/graph/flow.tsx';
import { NODE_SIZE } from '../../parts/graph/graph-layout.ts';
import type { Point } from './definition/definition-edits.ts';
import type { ShownNode } from './shown-graph.ts';

/** A graph of so many nodes is readable as a whole. */
export const MAX_SMALL = 12;

/** The lower right corner of a node. */
const endOf = ({ x, y }: Point): Point => ({ x: x + NODE_SIZE.width, y: y + NODE_SIZE.height });

const isInView = ({ transform, width, height }: ReactFlowState, { x, y }: Point): boolean => {
  const [left, top, zoom] = transform;
  const place = { x: x * zoom + left, y: y * zoom + top };
  return place.x >= 0 && place.x <= width && place.y >= 0 && place.y <= height;
};

interface GraphProps {
  readonly nodes: readonly ShownNode[];
}

/** A map of the graph, while some of it is out of view. */
export const Overview = ({ nodes }: GraphProps): ReactNode => {
  const [from, to] = useMemo(() => {
    const places = nodes.map(({ position }) => position);
    const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
    return [{ x: Math.min(...xs), y: Math.min(...ys) }, endOf({ x: Math.max(...xs), y: Math.max(...ys) })];
  }, [nodes]);
  const isCut = useStore((state) => !isInView(state, from) || !isInView(state, to));
  return isCut && <MiniMap ariaLabel="Overview of the graph" />;
};

/** Brings nodes that are added into view: with the whole of a small graph, otherwise without another scale. */
export const ShowAdded = ({ nodes }: GraphProps): null => {
  const { fitView } = useReactFlow();
  const store = useStoreApi();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(nodes.map(({ id }) => id));
    const added = before === null ? [] : nodes.filter(({ id }) => !before.has(id));
    if (added.length === 0) return;
    const state = store.getState();
    const isSeen = added.every(
      ({ position }) => isInView(state, position) && isInView(state, endOf(position)),
    );
    const [, , zoom] = state.transform;
    const isSmall = nodes.length <= MAX_SMALL;
    if (!isSeen) void fitView(isSmall ? FIT : { nodes: added, minZoom: zoom, maxZoom: zoom });
  }, [nodes, fitView, store]);
  return null;
};
