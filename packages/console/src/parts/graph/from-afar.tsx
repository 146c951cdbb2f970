import { type Edge, getSmoothStepPath, type Node, useStore, ViewportPortal } from '@xyflow/react';
import { type ReactNode, useMemo } from 'react';
import { backPath } from './back-edge.tsx';

// Each node and each connection that React Flow draws takes time at every change of the graph.

/** Below this scale, the text of a node can't be read, and neither its handles nor its connections can be hit. */
const FAR = 0.3;

/** Whether nodes are boxes without text, and all connections one drawing. */
export const useIsFar = (): boolean => useStore(({ transform: [, , zoom] }) => zoom < FAR);

interface FarConnectionsProps {
  /** With their handles, as `measureNode` says them. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The connections as one drawing. */
export const FarConnections = ({ nodes, edges }: FarConnectionsProps): ReactNode => {
  const paths = useMemo(() => drawPaths(nodes, edges), [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className="graph-far-connections" aria-hidden>
        {paths.map(([className, path]) => (
          <g key={className} className={className}>
            <path className="react-flow__edge-path" d={path} />
          </g>
        ))}
      </svg>
    </ViewportPortal>
  );
};

/** @returns for each class of edges, all of their paths */
const drawPaths = (
  nodes: readonly Node[],
  edges: readonly Edge[],
): readonly (readonly [string, string])[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byClass = Map.groupBy(edges, ({ className = '' }) => className);
  return [...byClass].map(([className, alike]) => [
    className,
    alike.map((edge) => drawPath(byId, edge)).join(''),
  ]);
};

const drawPath = (nodes: ReadonlyMap<string, Node>, edge: Edge): string => {
  const source = placeOf(nodes.get(edge.source), 'source', edge.sourceHandle);
  const target = placeOf(nodes.get(edge.target), 'target', edge.targetHandle);
  if (source === null || target === null) return '';
  const ends = { sourceX: source.x, sourceY: source.y, targetX: target.x, targetY: target.y };
  if (edge.type === 'back') return backPath(ends);
  const [path] = getSmoothStepPath({
    ...ends,
    sourcePosition: source.position,
    targetPosition: target.position,
  });
  return path;
};

/** Where a handle is; null if the node has none. */
const placeOf = (node: Node | undefined, type: 'source' | 'target', id: string | null | undefined) => {
  const handles = node?.handles?.filter((handle) => handle.type === type) ?? [];
  const handle = handles.find((one) => one.id === id) ?? handles[0];
  if (node === undefined || handle === undefined) return null;
  const { x, y, width = 0, position } = handle;
  const isLeft = position === 'left';
  return { x: node.position.x + x + (isLeft ? 0 : width), y: node.position.y + y + width / 2, position };
};
