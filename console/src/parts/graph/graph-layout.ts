import { Graph, layout } from '@dagrejs/dagre';

/** What a graph is drawn of: a workflow's definition, in any version. */
export interface DrawnWorkflow {
  readonly nodes: readonly DrawnNode[];
  readonly connections?: readonly Connection[];
}

export interface DrawnNode {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly disabled?: boolean;
}

interface Connection {
  readonly sourceNodeId: string;
  /** The output that it leads from; `main` if absent. */
  readonly sourceOutput?: string;
  readonly targetNodeId: string;
  readonly targetInput?: string;
  /** How it differs from the version that it is compared with. */
  readonly change?: 'added' | 'removed';
}

/** A node with its place. Lengths are in pixels, from the top left. */
export interface PlacedNode {
  readonly node: DrawnNode;
  readonly x: number;
  readonly y: number;
  /** The ids of the nodes that its outputs lead to, in the order of the connections. */
  readonly next: readonly string[];
}

export interface DrawnConnection {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The name of the output, unless it is the only one of its source and called `main`. */
  readonly label: string | null;
  readonly change: 'added' | 'removed' | null;
  /** Whether it leads back to an earlier node, or to its own: it closes a loop. */
  readonly isBack: boolean;
}

export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly connections: readonly DrawnConnection[];
}

/** The size of every node, in pixels. */
export const NODE_SIZE = { width: 220, height: 76 } as const;

/**
 * Finds a place for each node, left to right in the order in which they run. Connections to nodes that do not exist are left
 * out, since an invalid definition can be shown, too.
 */
export const layOut = ({ nodes, connections = [] }: DrawnWorkflow): GraphLayout => {
  const known = new Set(nodes.map(({ id }) => id));
  const drawn = connections.filter(
    ({ sourceNodeId, targetNodeId }) => known.has(sourceNodeId) && known.has(targetNodeId),
  );
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 32, ranksep: 88, edgesep: 16 });
  for (const { id } of nodes) graph.setNode(id, { ...NODE_SIZE });
  for (const [index, { sourceNodeId, targetNodeId }] of drawn.entries())
    graph.setEdge(sourceNodeId, targetNodeId, {}, String(index));
  layout(graph);
  const next = Map.groupBy(drawn, ({ sourceNodeId }) => sourceNodeId);
  return {
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id) as { readonly x: number; readonly y: number };
      return {
        node,
        x: x - NODE_SIZE.width / 2,
        y: y - NODE_SIZE.height / 2,
        next: (next.get(node.id) ?? []).map(({ targetNodeId }) => targetNodeId),
      };
    }),
    connections: drawn.map(({ sourceNodeId, sourceOutput = 'main', targetNodeId, change = null }, index) => ({
      id: `${index}`,
      source: sourceNodeId,
      target: targetNodeId,
      label: sourceOutput === 'main' ? null : sourceOutput,
      change,
      isBack: graph.node(targetNodeId).x <= graph.node(sourceNodeId).x,
    })),
  };
};
