// Invariants of loops; tests cite them.
// S6: A connection that leaves a loop settles once, when the loop ends, with the data that it delivered last.

import type { DeliveredInput, JsonObject } from '@hookloom/plugin-kit';
import type { Plan, Route } from '../workflows/plan/plan.ts';
import { EDGE } from '../workflows/plan/route.ts';

const DEFAULT_MAX_ITERATIONS = 100;

interface ExhaustedLoop {
  /** Index of the node that the loop leads back to. */
  readonly header: number;
  readonly maxIterations: number;
}

/** A node's data by output. */
export type Outputs = Readonly<Record<string, JsonObject>>;

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
  #ready: number[];
  /** Skipped nodes whose edges have not settled. */
  #skipping: number[] = [];
  /** The nodes skipped since the last `takeSkipped`. */
  #skipped: number[] = [];
  /** Loops that have started another iteration since the last `takeRestarted`. */
  #restarted: number[] = [];
  #exhausted: ExhaustedLoop | null = null;

  constructor(plan: Plan, route: Route) {
    this.#plan = plan;
    this.#route = route;
    this.#delivered = new Array(plan.edges.length).fill(null);
    this.#awaited = route.awaited.slice();
    this.#open = route.loops.map(({ units }) => units);
    this.#iterations = route.loops.map(() => 0);
    this.#returned = route.loops.map(() => []);
    this.#ready = [route.trigger];
  }

  /** @returns the nodes that can run now, in plan order; none when the run is complete */
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

  takeRestarted(): readonly number[] {
    const restarted = this.#restarted;
    if (restarted.length > 0) this.#restarted = [];
    return restarted;
  }

  /** The first loop that has exceeded its `maxIterations`; null when there is none. */
  get exhaustedLoop(): ExhaustedLoop | null {
    return this.#exhausted;
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
      // An edge that leaves a loop, or leads back to an outer one, keeps its data of an earlier iteration until it
      // delivers again. All others were reset at the start of the iteration.
      if (data !== null) this.#delivered[edge] = data;
      if (this.#route.kind[edge] === EDGE.forward) this.#settleIncoming(target);
    }
    this.#countDown(this.#route.loopOf[node] ?? -1);
  }

  /** Counts an incoming edge of the node as settled. */
  #settleIncoming(node: number): void {
    const awaited = (this.#awaited[node] ?? 0) - 1;
    this.#awaited[node] = awaited;
    if (awaited === 0) this.#release(node);
  }

  #release(node: number): void {
    const incoming = this.#route.incoming[node] ?? [];
    const wasReached = incoming.some((edge) => this.#delivered[edge] !== null);
    (wasReached ? this.#ready : this.#skipping).push(node);
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
      this.#exhausted ??= { header: loop.header, maxIterations };
      return true;
    }
    this.#restarted.push(index);
    this.#resetLoop(index);
    this.#iterations[index] = iterations;
    this.#returned[index] = returned;
    this.#ready.push(loop.header);
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
