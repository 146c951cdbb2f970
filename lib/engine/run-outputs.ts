// Invariants of outputs and branches; tests cite them.
// S7: An expression reads only outputs of ancestors and of earlier iterations, which are the same on every replay.
// S8: Each node with durable operations has a branch of its own. All are opened in plan order before any node starts.

import type { JsonObject } from '@hookloom/plugin-kit';
import type { Plan, PlanNode, Route } from '../workflows/plan/plan.ts';
import { EDGE } from '../workflows/plan/route.ts';
import type { RunOptions } from './control.ts';
import type { Steps } from './steps.ts';

/** The main outputs of a run's nodes, which expressions read, and from which the run's own output is taken. */
export class RunOutputs {
  readonly #options: Pick<RunOptions, 'plan' | 'route' | 'nodes'>;
  readonly #latest = new Map<number, JsonObject>();
  /** For each loop, the outputs its nodes had when the current iteration started. */
  readonly #previous = new Map<number, ReadonlyMap<number, JsonObject>>();

  constructor(options: Pick<RunOptions, 'plan' | 'route' | 'nodes'>) {
    this.#options = options;
  }

  set(node: number, output: JsonObject): void {
    this.#latest.set(node, output);
  }

  /** Keeps the outputs of a loop's iteration that has just ended. */
  keepIteration(loop: number): void {
    const nodes = this.#options.route.loops[loop]?.nodes ?? [];
    const kept = nodes.flatMap((node) => {
      const output = this.#latest.get(node);
      return output === undefined ? [] : [[node, output] as const];
    });
    this.#previous.set(loop, new Map(kept));
  }

  /** What a node sees as `$nodes`: the same on every replay, however far other branches have got. */
  visibleTo(node: PlanNode): JsonObject {
    const { plan, route, nodes } = this.#options;
    const visible: Record<string, JsonObject> = Object.assign(Object.create(null), nodes);
    for (const { index, id, loop } of findVisibleNodes(plan, route, node)) {
      const output = (loop === -1 ? this.#latest : this.#previous.get(loop))?.get(index);
      if (output !== undefined) visible[id] = output;
    }
    return visible;
  }

  /**
   * The output of the last node, in plan order, that ran and none of whose successors ran; undefined if no node has
   * run.
   */
  get last(): JsonObject | undefined {
    let last = -1;
    for (const node of this.#latest.keys()) if (node > last && !this.#hasSuccessor(node)) last = node;
    return this.#latest.get(last);
  }

  /** The outputs of all nodes that ran and none of whose successors ran, by node id, in plan order. */
  get ends(): JsonObject {
    const ends = [...this.#latest].filter(([node]) => !this.#hasSuccessor(node));
    return Object.fromEntries(
      ends
        .sort(([a], [b]) => a - b)
        .map(([node, output]) => [this.#options.plan.nodes[node]?.node.id, output]),
    );
  }

  #hasSuccessor(node: number): boolean {
    const { plan, route } = this.#options;
    return (plan.nodes[node]?.outgoing ?? []).some((edge) => {
      const kind = route.kind[edge];
      const isFollowed = kind === EDGE.forward || kind === EDGE.exit;
      return isFollowed && this.#latest.has(plan.edges[edge]?.target ?? -1);
    });
  }
}

/** An output that a node's expressions can read. */
interface VisibleNode {
  readonly index: number;
  readonly id: string;
  /**
   * -1 for an ancestor, whose latest output is read. Otherwise a loop around both nodes: the output from the start of
   * its current iteration is read, since the two nodes may run at the same time.
   */
  readonly loop: number;
}

const cache = new WeakMap<Route, Map<number, readonly VisibleNode[]>>();

/** The outputs that a node can read, which do not depend on the timing of other branches. */
const findVisibleNodes = (plan: Plan, route: Route, node: PlanNode): readonly VisibleNode[] => {
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

/** The nodes that lead to a node, not following loops back. */
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

/** Indexes of the loops around a node, innermost first. */
const loopsAround = ({ loops, loopOf }: Route, node: number): number[] => {
  const found: number[] = [];
  for (let loop = loopOf[node] ?? -1; loop !== -1; loop = loops[loop]?.parent ?? -1) found.push(loop);
  return found;
};

/** The branches of a run: each node with durable operations has a context of its own. */
interface Branches {
  /** The branch of a node; undefined if it has no durable operations. */
  branchOf(node: number): Steps | Promise<Steps> | undefined;
  /** Ends the branches. Operations that are still running are abandoned. */
  close(): void;
}

/**
 * Opens a branch for each node that is a step or a control node, in plan order, when the run starts. The engine of
 * durable runs numbers operations by their position in a branch, so no number depends on which branch is faster.
 * @param onError - called with an infrastructure error of the engine
 */
export const openBranches = (
  { plan, route, steps, within }: RunOptions,
  onError: (error: unknown) => void,
): Branches => {
  const branches = new Map<number, Steps | Promise<Steps>>();
  const closed = Promise.withResolvers<void>();
  for (const { index, node, nodeType } of plan.nodes) {
    const isReached = (route.incoming[index]?.length ?? 0) > 0 || index === route.trigger;
    if (!isReached || node.disabled === true || (nodeType.pure && nodeType.control === null)) continue;
    const opened = Promise.withResolvers<Steps>();
    branches.set(index, opened.promise);
    steps
      .within(within === '' ? node.id : `${within}/${node.id}`, (branch) => {
        branches.set(index, branch);
        opened.resolve(branch);
        return closed.promise;
      })
      .catch(onError);
  }
  return { branchOf: (node) => branches.get(node), close: closed.resolve };
};
