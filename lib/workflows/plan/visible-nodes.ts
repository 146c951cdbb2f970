import type { Plan } from './plan.ts';
import type { PlanNode } from './plan-graph.ts';
import type { Route } from './route.ts';

/** An output that the expressions of a node can read. */
interface VisibleNode {
  readonly index: number;
  readonly id: string;
  /**
   * -1 for an ancestor: its latest output. Otherwise a loop around both nodes: the output at the start of the loop's
   * present iteration, since the two nodes may run at the same time.
   */
  readonly loop: number;
}

const cache = new WeakMap<Route, Map<number, readonly VisibleNode[]>>();

/** The outputs that a node can read, whatever the timing of other branches is. */
export const findVisibleNodes = (plan: Plan, route: Route, node: PlanNode): readonly VisibleNode[] => {
  const known = cache.get(route) ?? new Map<number, readonly VisibleNode[]>();
  cache.set(route, known);
  const found = known.get(node.index) ?? computeVisibleNodes(plan, route, node);
  known.set(node.index, found);
  return found;
};

const computeVisibleNodes = (plan: Plan, route: Route, node: PlanNode): VisibleNode[] => {
  const ancestors = findAncestors(plan, route, node.index);
  const loops = loopsAround(route, node.index);
  const wanted = node.nodesRead === 'all' ? null : new Set(node.nodesRead);
  return plan.nodes.flatMap(({ index, node: { id } }) => {
    if (wanted?.has(id) === false) return [];
    if (ancestors.has(index)) return [{ index, id, loop: -1 }];
    const loop = loops.find((around) => route.loops[around]?.nodes.includes(index));
    return loop === undefined ? [] : [{ index, id, loop }];
  });
};

/** Nodes that lead to a node without going back in a loop. */
const findAncestors = ({ edges }: Plan, { incoming }: Route, node: number): ReadonlySet<number> => {
  const found = new Set<number>();
  const work = [node];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const edge of incoming[next] ?? []) {
      const source = edges[edge]?.source ?? -1;
      if (found.has(source)) continue;
      found.add(source);
      work.push(source);
    }
  }
  return found;
};

/** Indexes of the loops around a node, the innermost first. */
const loopsAround = ({ loops, loopOf }: Route, node: number): number[] => {
  const found: number[] = [];
  for (let loop = loopOf[node] ?? -1; loop !== -1; loop = loops[loop]?.parent ?? -1) found.push(loop);
  return found;
};
