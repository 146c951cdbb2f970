import { quote } from '../../lib/shared/describe.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { type DraftGraph, reachFrom, targetsIn } from './graph/draft-graph.ts';

/** The engine's limit on nested runs. It also bounds how often a node is visited here. */
const MAX_NESTING = 10;

/**
 * Checks the bodies of nodes: they are entered only through their node and don't connect back to it or out of them. The
 * workflow continues on the other outputs of the node.
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
          message: `the body of this loop (output ${quote(output)}) must not connect back to the loop node`,
        },
      ];
    }
    for (const index of body) {
      nesting[index] = (nesting[index] ?? 0) + 1;
      isTooDeep ||= (nesting[index] ?? 0) > MAX_NESTING;
    }
    if (isTooDeep) {
      return [{ path: `/nodes/${owner}`, message: `nests bodies more than ${MAX_NESTING} levels deep` }];
    }
    const entering = [...body].flatMap((index) => (incoming[index] ?? []).flatMap((at) => edges[at] ?? []));
    return entering
      .filter(({ source, isBody }) => !body.has(source) && !(source === owner && isBody))
      .sort((a, b) => a.index - b.index)
      .map(({ index, target }) => ({
        path: `/connections/${index}`,
        message: `${quote(nodes[target]?.node.id ?? '')} is in the body of ${quote(node.id)} (output ${quote(output)}): no node outside that body can connect to it`,
      }));
  });
};
