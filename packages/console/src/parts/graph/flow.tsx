import {
  Background,
  type Edge,
  getSmoothStepPath,
  type Node,
  ReactFlow,
  type ReactFlowProps,
  useReactFlow,
  useStore,
  ViewportPortal,
} from '@xyflow/react';
import { type ReactNode, useEffect, useMemo } from 'react';
import { backPath } from './back-edge.tsx';
import { speakNodes } from './speak-nodes.ts';

type FlowProps<Shown extends Node> = ReactFlowProps<Shown> &
  Required<Pick<ReactFlowProps<Shown>, 'nodes' | 'edges'>>;

/**
 * A graph as every view has it: nodes have the focus, not connections; the wheel scrolls the page; from afar there is less
 * to draw. Stands within a `ReactFlowProvider`.
 */
export const Flow = <Shown extends Node>({ children, ...props }: FlowProps<Shown>): ReactNode => {
  const { nodes, edges } = props;
  const isFar = useIsFar();
  return (
    <ReactFlow<Shown>
      ref={speakNodes}
      aria-label="Graph of the nodes"
      edgesFocusable={false}
      deleteKeyCode={null}
      onlyRenderVisibleElements={nodes.length > 100}
      preventScrolling={false}
      zoomOnScroll={false}
      minZoom={0.05}
      maxZoom={1.5}
      fitView
      fitViewOptions={FIT}
      proOptions={PRO_OPTIONS}
      {...props}
      data-far={isFar || undefined}
      edges={isFar ? NO_EDGES : edges}
    >
      <Fitting />
      {isFar && <FarConnections nodes={nodes} edges={edges} />}
      <Background />
      {children}
    </ReactFlow>
  );
};

const NO_EDGES: Edge[] = [];

const PRO_OPTIONS = { hideAttribution: true };

/** How a whole graph is shown: never larger than it is drawn. */
export const FIT = { padding: 0.1, maxZoom: 1 } as const;

/** Shows all of the graph again when its place gets another width, as beside a panel that opens. */
const Fitting = (): null => {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  useEffect(() => {
    if (width > 0) void fitView(FIT);
  }, [width, fitView]);
  return null;
};

// Each node and each connection that React Flow draws takes time at every change of the graph.

/** Below this scale, the text of a node can't be read, and neither its handles nor its connections can be hit. */
const FAR = 0.3;

/** Whether nodes are boxes without text, and all connections one drawing. */
const useIsFar = (): boolean => useStore(({ transform: [, , zoom] }) => zoom < FAR);

interface FarConnectionsProps {
  /** With their handles, as `measureNode` says them. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The connections as one drawing. */
const FarConnections = ({ nodes, edges }: FarConnectionsProps): ReactNode => {
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
