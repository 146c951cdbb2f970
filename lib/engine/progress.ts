import type { JsonObject } from '../contract/json.ts';
import type { DeliveredInput } from '../contract/node.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { EDGE, type Route } from '../workflows/plan/route.ts';

const DEFAULT_MAX_ITERATIONS = 100;

/** Data by the output that it was delivered on. */
export type Outputs = Readonly<Record<string, JsonObject>>;

/**
 * How far one execution has come in its graph: which edges have delivered, which nodes are ready. It knows nothing
 * of time or of what nodes do. Loops are regions: edges that leave one are held until it is over, and then settle
 * with what they delivered last, so that what comes after a loop runs once.
 */
export class Progress {
  readonly #plan: Plan;
  readonly #route: Route;
  /** Per edge: what it delivered, null for nothing (yet). */
  readonly #delivered: (JsonObject | null)[];
  /** Per node: forward edges that have not settled. */
  readonly #awaited: Int32Array;
  /** Per loop: what has not settled in this turn, and how many turns went before. */
  readonly #open: number[];
  readonly #turns: number[];
  /** Per loop: what its back edges delivered for the turn that is on; empty in the first. */
  readonly #returned: (readonly DeliveredInput[])[];
  #ready: number[];
  /** Settled without having run; their edges still have to. */
  #skipping: number[] = [];
  /** The nodes that were skipped since it was last looked at. */
  #skipped: number[] = [];
  #exhausted: number | null = null;

  constructor(plan: Plan, route: Route) {
    this.#plan = plan;
    this.#route = route;
    this.#delivered = new Array(plan.edges.length).fill(null);
    this.#awaited = route.awaited.slice();
    this.#open = route.loops.map(({ units }) => units);
    this.#turns = route.loops.map(() => 0);
    this.#returned = route.loops.map(() => []);
    this.#ready = [route.trigger];
  }

  /** The nodes that can run now, in plan order; empty when the execution is over. */
  takeReady(): readonly number[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready.length > 1 ? ready.sort((a, b) => a - b) : ready;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  takeSkipped(): readonly number[] {
    const skipped = this.#skipped;
    if (skipped.length > 0) this.#skipped = [];
    return skipped;
  }

  /** The header of a loop that wanted another turn and has had all that it may; null when there is none. */
  get exhaustedLoop(): number | null {
    return this.#exhausted;
  }

  /**
   * What its connections have delivered to a node that is ready, in connection order. In a later turn, the header of
   * a loop hears the edges that lead back to it, and those alone.
   */
  inputsOf(node: number): readonly DeliveredInput[] {
    const loop = this.#route.loopOf[node] ?? -1;
    const isReturn = loop !== -1 && this.#route.loops[loop]?.header === node && this.#turns[loop] !== 0;
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

  /** Says what a node that was ready has delivered. */
  settle(node: number, outputs: Outputs): void {
    this.#settleNode(node, outputs);
    for (let next = this.#skipping.pop(); next !== undefined; next = this.#skipping.pop()) {
      this.#skipped.push(next);
      this.#settleNode(next, {});
    }
  }

  #settleNode(node: number, outputs: Outputs): void {
    for (const edge of this.#plan.nodes[node]?.outgoing ?? []) {
      const connection = this.#plan.edges[edge];
      if (connection === undefined) continue;
      const { sourceOutput, target } = connection;
      const data = Object.hasOwn(outputs, sourceOutput) ? (outputs[sourceOutput] ?? null) : null;
      // What an edge out of a loop, or back to an outer one, delivered in an earlier turn stands until it delivers
      // again. All others were reset when the turn began.
      if (data !== null) this.#delivered[edge] = data;
      if (this.#route.kind[edge] === EDGE.forward) this.#arrive(target);
    }
    this.#countDown(this.#route.loopOf[node] ?? -1);
  }

  /** An edge that leads to the node has settled. */
  #arrive(node: number): void {
    const awaited = (this.#awaited[node] ?? 0) - 1;
    this.#awaited[node] = awaited;
    if (awaited === 0) this.#release(node);
  }

  #release(node: number): void {
    const incoming = this.#route.incoming[node] ?? [];
    const wasReached = incoming.some((edge) => this.#delivered[edge] !== null);
    (wasReached ? this.#ready : this.#skipping).push(node);
  }

  /** Something directly in the loop has settled. The last one ends the turn. */
  #countDown(loop: number): void {
    for (let current = loop; current !== -1; ) {
      const open = (this.#open[current] ?? 0) - 1;
      this.#open[current] = open;
      if (open > 0) return;
      if (this.#startsAnotherTurn(current)) return;
      current = this.#leave(current);
    }
  }

  #startsAnotherTurn(index: number): boolean {
    const loop = this.#route.loops[index];
    const returned = this.#deliveredBy(loop?.backEdges ?? []);
    if (loop === undefined || returned.length === 0) return false;
    const turns = (this.#turns[index] ?? 0) + 1;
    const { maxIterations = DEFAULT_MAX_ITERATIONS } = this.#plan.nodes[loop.header]?.node.settings ?? {};
    if (turns >= maxIterations) {
      this.#exhausted ??= loop.header;
      return true;
    }
    this.#resetTurn(index);
    this.#turns[index] = turns;
    this.#returned[index] = returned;
    this.#ready.push(loop.header);
    return true;
  }

  /** As before the loop's first turn, but for what came from outside, which stands. */
  #resetTurn(index: number): void {
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
      this.#turns[inner] = 0;
    }
    // A node that hears only from outside the loop, or from its own later turns, starts with the turn.
    for (const node of loop.nodes) {
      if (node !== loop.header && this.#awaited[node] === 0) this.#release(node);
    }
  }

  /** The loop is over: what leaves it settles. Gives the loop around it. */
  #leave(index: number): number {
    const loop = this.#route.loops[index];
    for (const edge of loop?.exitEdges ?? []) this.#arrive(this.#plan.edges[edge]?.target ?? -1);
    return loop?.parent ?? -1;
  }
}
