// Invariants of loops and of what expressions read; tests cite them.
// S6: A connection that leaves a loop settles once, when the loop ends, with the data that it delivered last.
// S7: An expression reads only outputs of ancestors and of earlier iterations, which are the same on every replay.

import type { DeliveredInput, JsonObject } from '@hookloom/plugin-kit';
import type { Plan, PlanNode, Route } from '../workflows/plan/plan.ts';
import { EDGE, findAncestors } from '../workflows/plan/route.ts';
import type { Outputs } from './node-run.ts';

const DEFAULT_MAX_ITERATIONS = 100;

interface ExhaustedLoop {
  /** Index of the node that the loop leads back to. */
  readonly header: number;
  readonly maxIterations: number;
}

/**
 * The progress of one run through its graph: which edges have delivered, which nodes are ready. Loops are regions: the
 * edges that leave one settle when the loop ends, with the data that they delivered last, so that the nodes after it run
 * once.
 */
export class Progress {
  readonly #plan: Plan;
  readonly #route: Route;
  /** The data that each edge has delivered; null if none (yet). */
  readonly #delivered: (JsonObject | null)[];
  /** For each node, how many incoming forward edges have not settled. */
  readonly #awaited: Int32Array;
  /** For each loop, how many of its nodes and inner loops have not settled in this iteration. */
  readonly #open: number[];
  /** For each loop, how many iterations are complete. */
  readonly #iterations: number[];
  /** For each loop, the data of its back edges for this iteration; empty in the first iteration. */
  readonly #returned: (readonly DeliveredInput[])[];
  /** The nodes that can run now. */
  ready: number[];
  /** Skipped nodes whose edges have not settled. */
  #skipping: number[] = [];
  /** Nodes that were skipped, for the run to record and remove. */
  readonly skipped: number[] = [];
  /** Loops that have started another iteration, for the run to remove. */
  readonly restarted: number[] = [];
  /** The first loop that has exceeded its `maxIterations`; null when there is none. */
  exhaustedLoop: ExhaustedLoop | null = null;

  constructor(plan: Plan, route: Route) {
    this.#plan = plan;
    this.#route = route;
    this.#delivered = new Array(plan.edges.length).fill(null);
    this.#awaited = route.awaited.slice();
    this.#open = route.loops.map(({ units }) => units);
    this.#iterations = route.loops.map(() => 0);
    this.#returned = route.loops.map(() => []);
    this.ready = [route.trigger];
  }

  /** @returns the nodes that can run now, in plan order; none when the run is complete */
  takeReady(): readonly number[] {
    const ready = this.ready;
    this.ready = [];
    return ready.length > 1 ? ready.sort((a, b) => a - b) : ready;
  }

  /**
   * The inputs of a ready node, in connection order. From the second iteration on, the header of a loop gets those of
   * its back edges alone.
   */
  inputsOf(node: number): readonly DeliveredInput[] {
    const loop = this.#route.loopOf[node] ?? -1;
    const isReturn = loop !== -1 && this.#route.loops[loop]?.header === node && this.#iterations[loop] !== 0;
    return isReturn ? (this.#returned[loop] ?? []) : this.#deliveredBy(this.#route.incoming[node] ?? []);
  }

  #deliveredBy(edges: readonly number[]): DeliveredInput[] {
    const inputs: DeliveredInput[] = [];
    for (const edge of edges) {
      const data = this.#delivered[edge];
      const connection = this.#plan.edges[edge];
      if (data === null || data === undefined || connection === undefined) continue;
      inputs.push({
        sourceNodeId: this.#plan.nodes[connection.source]?.node.id ?? '',
        sourceOutput: connection.sourceOutput,
        targetInput: connection.targetInput,
        data,
      });
    }
    return inputs;
  }

  /** Settles the outgoing edges of a node that has run, and those of the nodes that are skipped as a result. */
  settle(node: number, outputs: Outputs): void {
    let current = node;
    for (let delivered = outputs; ; delivered = {}) {
      for (const edge of this.#plan.nodes[current]?.outgoing ?? []) {
        const connection = this.#plan.edges[edge];
        if (connection === undefined) continue;
        const { sourceOutput, target } = connection;
        const data = Object.hasOwn(delivered, sourceOutput) ? (delivered[sourceOutput] ?? null) : null;
        // An edge that leaves a loop, or leads back to an outer one, keeps its data of an earlier iteration until it
        // delivers again. All others were reset at the start of the iteration.
        if (data !== null) this.#delivered[edge] = data;
        if (this.#route.kind[edge] === EDGE.forward) this.#settleIncoming(target);
      }
      this.#countDown(this.#route.loopOf[current] ?? -1);
      const next = this.#skipping.pop();
      if (next === undefined) return;
      this.skipped.push(next);
      current = next;
    }
  }

  /** Counts an incoming edge of the node as settled. The last one decides whether the node runs or is skipped. */
  #settleIncoming(node: number): void {
    const awaited = (this.#awaited[node] ?? 0) - 1;
    this.#awaited[node] = awaited;
    if (awaited !== 0) return;
    let wasReached = false;
    for (const edge of this.#route.incoming[node] ?? []) wasReached ||= this.#delivered[edge] !== null;
    (wasReached ? this.ready : this.#skipping).push(node);
  }

  /** Counts a node or inner loop of the loop as settled. The last one ends the iteration. */
  #countDown(loop: number): void {
    for (let current = loop; current !== -1; ) {
      const open = (this.#open[current] ?? 0) - 1;
      this.#open[current] = open;
      if (open > 0) return;
      if (this.#startNextIteration(current)) return;
      current = this.#leave(current);
    }
  }

  #startNextIteration(index: number): boolean {
    const loop = this.#route.loops[index];
    const returned = this.#deliveredBy(loop?.backEdges ?? []);
    if (loop === undefined || returned.length === 0) return false;
    const iterations = (this.#iterations[index] ?? 0) + 1;
    const { maxIterations = DEFAULT_MAX_ITERATIONS } = this.#plan.nodes[loop.header]?.node.settings ?? {};
    if (iterations >= maxIterations) {
      this.exhaustedLoop ??= { header: loop.header, maxIterations };
      return true;
    }
    this.restarted.push(index);
    this.#resetLoop(index);
    this.#iterations[index] = iterations;
    this.#returned[index] = returned;
    this.ready.push(loop.header);
    return true;
  }

  /**
   * Restores the state before the first iteration, except for the data of edges that enter the loop. No node but the
   * header becomes ready: each awaits an edge from within the loop, because the header is reached first, depth first.
   */
  #resetLoop(index: number): void {
    const loop = this.#route.loops[index];
    if (loop === undefined) return;
    for (const node of loop.nodes) this.#awaited[node] = 0;
    for (const edge of loop.backEdges) this.#delivered[edge] = null;
    for (const edge of loop.innerEdges) {
      this.#delivered[edge] = null;
      const target = this.#plan.edges[edge]?.target ?? -1;
      if (this.#route.kind[edge] !== EDGE.back) this.#awaited[target] = (this.#awaited[target] ?? 0) + 1;
    }
    for (const inner of [index, ...loop.inside]) {
      this.#open[inner] = this.#route.loops[inner]?.units ?? 0;
      this.#iterations[inner] = 0;
    }
  }

  /**
   * Settles the edges that leave a loop that has ended.
   *
   * @returns the enclosing loop; -1 for none
   */
  #leave(index: number): number {
    const loop = this.#route.loops[index];
    for (const edge of loop?.exitEdges ?? []) this.#settleIncoming(this.#plan.edges[edge]?.target ?? -1);
    return loop?.parent ?? -1;
  }
}

interface OutputsOptions {
  readonly plan: Plan;
  readonly route: Route;
  /** Outputs of outer nodes, which expressions can read too. */
  readonly nodes?: JsonObject;
}

/** The main outputs of a run's nodes, which expressions read, and from which the run's own output is taken. */
export class RunOutputs {
  readonly #options: OutputsOptions;
  /** The output that each node has delivered last. */
  readonly latest = new Map<number, JsonObject>();
  /** For each loop, the outputs its nodes had when the current iteration started. */
  readonly #previous = new Map<number, ReadonlyMap<number, JsonObject>>();

  constructor(options: OutputsOptions) {
    this.#options = options;
  }

  /** Keeps the outputs of a loop's iteration that has just ended. */
  keepIteration(loop: number): void {
    const nodes = this.#options.route.loops[loop]?.nodes ?? [];
    const kept = nodes.flatMap((node) => {
      const output = this.latest.get(node);
      return output === undefined ? [] : [[node, output] as const];
    });
    this.#previous.set(loop, new Map(kept));
  }

  /** What a node sees as `$nodes`: the same on every replay, however far other branches have got. */
  visibleTo(node: PlanNode): JsonObject {
    const { plan, route, nodes } = this.#options;
    const visible: Record<string, JsonObject> = Object.assign(Object.create(null), nodes);
    for (const { index, id, loop } of findVisibleNodes(plan, route, node)) {
      const output = (loop === -1 ? this.latest : this.#previous.get(loop))?.get(index);
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
    for (const node of this.latest.keys()) if (node > last && !this.#hasSuccessor(node)) last = node;
    return this.latest.get(last);
  }

  /** The outputs of all nodes that ran and none of whose successors ran, by node id, in plan order. */
  get ends(): JsonObject {
    const ends = [...this.latest].filter(([node]) => !this.#hasSuccessor(node));
    return Object.fromEntries(
      ends
        .sort(([a], [b]) => a - b)
        .map(([node, output]) => [this.#options.plan.nodes[node]?.node.id, output]),
    );
  }

  #hasSuccessor(node: number): boolean {
    const { plan, route } = this.#options;
    for (const edge of plan.nodes[node]?.outgoing ?? []) {
      const kind = route.kind[edge];
      const isFollowed = kind === EDGE.forward || kind === EDGE.exit;
      if (isFollowed && this.latest.has(plan.edges[edge]?.target ?? -1)) return true;
    }
    return false;
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

/** Indexes of the loops around a node, innermost first. */
const loopsAround = ({ loops, loopOf }: Route, node: number): number[] => {
  const found: number[] = [];
  for (let loop = loopOf[node] ?? -1; loop !== -1; loop = loops[loop]?.parent ?? -1) found.push(loop);
  return found;
};
