import { quote } from '../../shared/describe.ts';
import type { Problem } from '../definition/problem.ts';
import { type DraftGraph, reachFrom, targetsIn } from './draft-graph.ts';

/** Runs inside of runs go no deeper: the engine's limit. It also bounds how often a node is looked at here. */
const MAX_NESTING = 10;

/**
 * The body of a node, which it runs itself, is entered through that node alone, and nothing leads out of it or back:
 * what leaves the node on its other outputs goes on from there.
 */
export const checkBodies = (graph: DraftGraph): Problem[] => {
  const { nodes, edges, outgoing, incoming } = graph;
  const next = targetsIn(graph);
  const nesting = new Int32Array(nodes.length);
  let isTooDeep = false;
  return nodes.flatMap(({ index: owner, node, nodeType }) => {
    const output = nodeType?.control?.bodyOutput;
    if (output === undefined || isTooDeep) return [];
    const entries = (outgoing[owner] ?? []).flatMap((at) => edges[at] ?? []).filter(({ isBody }) => isBody);
    const body = reachFrom(
      entries.map(({ target }) => target),
      next,
    );
    if (body.has(owner)) {
      return [
        {
          path: `/nodes/${owner}`,
          message: `what is behind its output ${quote(output)} leads back to it: it is run by the node, and ends`,
        },
      ];
    }
    for (const index of body) {
      nesting[index] = (nesting[index] ?? 0) + 1;
      isTooDeep ||= (nesting[index] ?? 0) > MAX_NESTING;
    }
    if (isTooDeep) {
      return [{ path: `/nodes/${owner}`, message: `nests bodies deeper than ${MAX_NESTING}` }];
    }
    const entering = [...body].flatMap((index) => (incoming[index] ?? []).flatMap((at) => edges[at] ?? []));
    return entering
      .filter(({ source, isBody }) => !body.has(source) && !(source === owner && isBody))
      .sort((a, b) => a.index - b.index)
      .map(({ index, target }) => ({
        path: `/connections/${index}`,
        message: `${quote(nodes[target]?.node.id ?? '')} is behind the output ${quote(output)} of ${quote(node.id)}, and is run by it: nothing else leads there`,
      }));
  });
};
