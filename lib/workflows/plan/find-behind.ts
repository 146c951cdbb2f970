import type { Plan } from './plan.ts';

/** Ids of a node and of all nodes that it leads to: those that a retry from this node runs again. */
export const findBehind = (plan: Plan, nodeId: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const work = plan.nodes.filter(({ node }) => node.id === nodeId);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (found.has(next.node.id)) continue;
    found.add(next.node.id);
    for (const edge of next.outgoing) {
      const target = plan.nodes[plan.edges[edge]?.target ?? -1];
      if (target !== undefined) work.push(target);
    }
  }
  return found;
};
