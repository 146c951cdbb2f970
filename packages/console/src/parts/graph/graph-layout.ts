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

/** What makes a connection of two nodes another one. */
export const connectionKey = ({
  sourceNodeId,
  sourceOutput = 'main',
  targetNodeId,
  targetInput = 'main',
}: Connection): string => JSON.stringify([sourceNodeId, sourceOutput, targetNodeId, targetInput]);

/** The size of every node, in pixels. */
export const NODE_SIZE = { width: 220, height: 76 } as const;

/** The outputs of a node by its id, in the order in which they are drawn. */
export type OutputsOf = (nodeId: string) => readonly string[];

/**
 * Finds a place for each node, left to right in the order in which they run, and what outputs lead to from top to bottom.
 * Connections to nodes that do not exist are left out, since an invalid definition can be shown, too.
 *
 * @param outputsOf - absent: the outputs of a node are in the order of its connections
 */
export const layOut = ({ nodes, connections = [] }: DrawnWorkflow, outputsOf: OutputsOf = () => []) => {
  const known = new Set(nodes.map(({ id }) => id));
  const drawn = connections.filter(
    ({ sourceNodeId, targetNodeId }) => known.has(sourceNodeId) && known.has(targetNodeId),
  );
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 32, ranksep: 88, edgesep: 16 });
  for (const { id } of nodes) graph.setNode(id, { ...NODE_SIZE });
  const byOutput = drawn.toSorted(
    (one, other) => outputIndex(one, outputsOf) - outputIndex(other, outputsOf),
  );
  for (const [index, { sourceNodeId, targetNodeId }] of byOutput.entries())
    graph.setEdge(sourceNodeId, targetNodeId, {}, String(index));
  layout(graph, {
    customOrder: (ranked: RankedGraph, orderByCrossings: OrderByCrossings) => {
      if (!orderByOutputs(ranked)) orderByCrossings(ranked as never);
    },
  });
  return {
    /** With their places, in pixels from the top left. */
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id) as { readonly x: number; readonly y: number };
      return { node, x: x - NODE_SIZE.width / 2, y: y - NODE_SIZE.height / 2 };
    }),
    connections: drawn.map(({ sourceNodeId, sourceOutput = 'main', targetNodeId, change = null }, index) => ({
      id: `${index}`,
      source: sourceNodeId,
      target: targetNodeId,
      label: sourceOutput === 'main' ? null : sourceOutput,
      change,
      /** Whether it leads back to an earlier node, or to its own: it closes a loop. */
      isBack: graph.node(targetNodeId).x <= graph.node(sourceNodeId).x,
    })),
  };
};

const outputIndex = ({ sourceNodeId, sourceOutput = 'main' }: Connection, outputsOf: OutputsOf): number =>
  outputsOf(sourceNodeId).indexOf(sourceOutput);

/** What is used of the library's graph when its nodes have ranks; its own types are lost in the program of the tests. */
interface RankedGraph {
  nodes(): readonly string[];
  node(id: string): { readonly rank?: number; order?: number; readonly edgeObj?: { readonly name?: string } };
  edges(): readonly { readonly v: string; readonly w: string }[];
  outEdges(id: string): readonly { readonly w: string; readonly name?: string }[] | undefined;
}

type OrderByCrossings = (graph: never) => void;

/**
 * Orders the nodes of each rank as a walk along the outputs reaches them. The library's own order has as few crossings, but
 * swaps branches.
 *
 * @returns whether no two connections cross; if they do, the library finds a better order
 */
const orderByOutputs = (ranked: RankedGraph): boolean => {
  const rankOf = (id: string): number => ranked.node(id).rank ?? 0;
  const counts = new Map<number, number>();
  const seen = new Set<string>();
  for (const root of ranked.nodes().toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const open = [root];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const count = counts.get(rankOf(id)) ?? 0;
      ranked.node(id).order = count;
      counts.set(rankOf(id), count + 1);
      open.push(...nextOf(ranked, id).toReversed());
    }
  }
  return !hasCrossings(ranked, rankOf);
};

/** What a node leads to, in the order of the outputs; connections that lead back come last. */
const nextOf = (ranked: RankedGraph, id: string): readonly string[] =>
  (ranked.outEdges(id) ?? [])
    .map(({ w, name }) => {
      // A connection over several ranks has nodes of its own in between, which know it.
      const { edgeObj } = ranked.node(w);
      const index = Number(edgeObj?.name ?? name);
      return { target: w, index: Number.isInteger(index) ? index : Number.POSITIVE_INFINITY };
    })
    .toSorted((one, other) => (one.index < other.index ? -1 : one.index > other.index ? 1 : 0))
    .map(({ target }) => target);

const hasCrossings = (ranked: RankedGraph, rankOf: (id: string) => number): boolean => {
  const places = ranked.edges().map(({ v, w }) => ({
    rank: rankOf(v),
    from: ranked.node(v).order ?? 0,
    to: ranked.node(w).order ?? 0,
  }));
  places.sort((one, other) => one.rank - other.rank || one.from - other.from || one.to - other.to);
  let lowest = -1;
  return places.some(({ rank, from, to }, index) => {
    const before = places[index - 1];
    if (before === undefined || before.rank !== rank) lowest = -1;
    // Those of the same node do not cross.
    else if (before.from !== from) lowest = Math.max(lowest, before.to);
    return to < lowest;
  });
};
