import type { Plan } from './plan.ts';

/** The ids of a node and of all that can be reached from it: what runs again when a retry begins there. */
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
