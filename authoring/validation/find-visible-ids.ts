import type { DraftGraph } from './graph/draft-graph.ts';
import type { VisibleIds } from './references/names.ts';

/**
 * Finds the nodes upstream of a node, whose output it can read. A node in a loop is upstream of itself and reads the
 * previous iteration. A body can't read the node that runs it, whose output comes later.
 */
export const findVisibleIds = ({ nodes, edges, incoming }: DraftGraph, index: number): VisibleIds => {
  const search = (isWanted: (id: string) => boolean): boolean => {
    const visited = new Set<number>();
    const work = [index];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      for (const at of incoming[next] ?? []) {
        const edge = edges[at];
        if (edge === undefined) continue;
        if (!edge.isBody && isWanted(nodes[edge.source]?.node.id ?? '')) return true;
        if (visited.has(edge.source)) continue;
        visited.add(edge.source);
        work.push(edge.source);
      }
    }
    return false;
  };
  return {
    has: (wanted) => search((id) => id === wanted),
    list: () => {
      const found = new Set<string>();
      search((id) => {
        found.add(id);
        return false;
      });
      return [...found];
    },
  };
};
