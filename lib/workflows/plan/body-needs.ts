import { MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { namesOfOutputs } from '@hookloom/plugin-kit/host';
import type { Plan, PlanNode, Route } from './plan.ts';
import { findAncestors } from './route.ts';

/**
 * Counts the durable operations that one run of a node's body needs at least, unless one of its nodes fails. Nodes that
 * follow an output that may deliver nothing do not count, nor do runs of other workflows and inner bodies, whose number
 * is not known yet.
 */
export const countBodyOperations = (plan: Plan, node: PlanNode): number => {
  const { incoming } = plan.bodyRouteOf(node);
  const certain = new Set<number>();
  let operations = 0;
  const work = [node];
  for (let source = work.pop(); source !== undefined; source = work.pop()) {
    for (const index of source.outgoing) {
      const edge = plan.edges[index];
      const target = plan.nodes[edge?.target ?? -1];
      if (edge === undefined || target === undefined || certain.has(target.index)) continue;
      if (incoming[target.index]?.includes(index) !== true) continue; // not in the body, or back in a loop
      if (source !== node && !alwaysDelivers(source, edge.sourceOutput)) continue;
      certain.add(target.index);
      operations += countOperations(target);
      work.push(target);
    }
  }
  return operations;
};

const alwaysDelivers = ({ node, nodeType }: PlanNode, output: string): boolean => {
  if (output !== MAIN_OUTPUT || node.settings?.onError === 'route') return false;
  if (node.disabled === true) return true;
  const { outputs, endsBranch, control } = nodeType;
  const all = namesOfOutputs(outputs, node.parameters ?? {});
  return !endsBranch && all.every((one) => one === MAIN_OUTPUT || one === control?.bodyOutput);
};

const countOperations = ({ node, nodeType: { pure, control } }: PlanNode): number => {
  if (node.disabled === true) return 0;
  if (control === null) return pure ? 0 : 1;
  return (control.waitSeconds?.(node.parameters ?? {}) ?? 0) > 0 ? 1 : 0;
};

/** Ids of the nodes that have always run, or were skipped, when this one starts, on every replay. */
export const findBefore = (plan: Plan, route: Route, node: PlanNode): ReadonlySet<string> =>
  new Set([...findAncestors(plan, route, node.index)].map((index) => plan.nodes[index]?.node.id ?? ''));
