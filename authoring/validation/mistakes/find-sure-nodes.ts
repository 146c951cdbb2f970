import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  deliveringOutputs,
  reachFrom,
  sourcesIn,
} from '../graph/draft-graph.ts';

/** An output through which a run can leave a node, and the nodes that it leads to. */
interface Way {
  readonly output: string;
  readonly targets: readonly number[];
}

export interface SureNodes {
  /** Whether every path from a node reaches a wanted node. */
  has(index: number): boolean;
  /** Whether some path does. */
  mayReach(index: number): boolean;
  /** The outputs of a node from which a wanted node may not be reached. */
  unsureWays(index: number): readonly Way[];
}

/**
 * Finds the nodes from which every path reaches a wanted node, whichever outputs deliver. Paths that end in a failure do not count.
 *
 * @param inDoubt - what to assume where the file does not tell: for outputs known only at run time, and for parallel
 *   branches, where conditions may always let one through
 */
export const findSureNodes = (
  graph: DraftGraph,
  isWanted: (node: DraftNode) => boolean,
  inDoubt: boolean,
): SureNodes => {
  const { nodes } = graph;
  const isForward = ({ isBody }: DraftEdge) => !isBody;
  const wanted = nodes.filter(isWanted).map(({ index }) => index);
  const reaching = reachFrom(wanted, sourcesIn(graph, isForward));
  const sure = new Set(nodes.map(({ index }) => index));
  const isSureWay = ({ targets }: Way): boolean => {
    if (targets.some((target) => sure.has(target))) return true;
    return inDoubt && targets.filter((target) => reaching.has(target)).length > 1;
  };
  const isSure = (node: DraftNode): boolean => {
    if (isWanted(node)) return true;
    const ways = waysOut(graph, node);
    if (ways === null) return inDoubt;
    if (ways.length === 0) return inDoubt; // the run ends with a failure
    return !mayDeliverNothing(node) && ways.every(isSureWay);
  };
  // Starts from all nodes, so that a loop is as certain as its exits.
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of nodes) {
      if (!sure.has(node.index) || isSure(node)) continue;
      sure.delete(node.index);
      changed = true;
    }
  }
  return {
    has: (index) => sure.has(index),
    mayReach: (index) => reaching.has(index),
    unsureWays: (index) => {
      const node = nodes[index];
      return node === undefined ? [] : (waysOut(graph, node) ?? []).filter((way) => !isSureWay(way));
    },
  };
};

export const mayDeliverNothing = ({ nodeType, isDisabled }: DraftNode): boolean =>
  !isDisabled && nodeType?.endsBranch === true;

/** Null when the outputs are known only at run time. A body runs inside its node and is not an exit. */
const waysOut = ({ edges, outgoing }: DraftGraph, node: DraftNode): readonly Way[] | null => {
  const outputs = node.nodeType === null ? null : deliveringOutputs(node);
  if (outputs === null) return null;
  const body = node.isDisabled ? undefined : node.nodeType?.control?.bodyOutput;
  return [...outputs]
    .filter((output) => output !== body)
    .map((output) => ({
      output,
      targets: (outgoing[node.index] ?? []).flatMap((at) => {
        const edge = edges[at];
        return edge?.output === output ? [edge.target] : [];
      }),
    }));
};
