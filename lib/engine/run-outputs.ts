import type { JsonObject } from '@hookloom/plugin-kit';
import type { PlanNode } from '../workflows/plan/plan-graph.ts';
import { EDGE } from '../workflows/plan/route.ts';
import { findVisibleNodes } from '../workflows/plan/visible-nodes.ts';
import type { RunOptions } from './inner-run.ts';

/** The main outputs of the nodes of one run: what expressions read, and what the run itself delivers. */
export class RunOutputs {
  readonly #options: Pick<RunOptions, 'plan' | 'route' | 'nodes'>;
  readonly #latest = new Map<number, JsonObject>();
  /** By loop: the outputs of its nodes when its present iteration started. */
  readonly #previous = new Map<number, ReadonlyMap<number, JsonObject>>();

  constructor(options: Pick<RunOptions, 'plan' | 'route' | 'nodes'>) {
    this.#options = options;
  }

  set(node: number, output: JsonObject): void {
    this.#latest.set(node, output);
  }

  /** Keeps the outputs of the iteration of a loop that has just ended. */
  keepIteration(loop: number): void {
    const nodes = this.#options.route.loops[loop]?.nodes ?? [];
    const kept = nodes.flatMap((node) => {
      const output = this.#latest.get(node);
      return output === undefined ? [] : [[node, output] as const];
    });
    this.#previous.set(loop, new Map(kept));
  }

  /** `$nodes` of a node: the same on every replay, however far other branches are. */
  visibleTo(node: PlanNode): JsonObject {
    const { plan, route, nodes } = this.#options;
    const visible: Record<string, JsonObject> = Object.assign(Object.create(null), nodes);
    for (const { index, id, loop } of findVisibleNodes(plan, route, node)) {
      const output = (loop === -1 ? this.#latest : this.#previous.get(loop))?.get(index);
      if (output !== undefined) visible[id] = output;
    }
    return visible;
  }

  /** The output of the last node in plan order without a successor that ran; undefined when no node has run. */
  get last(): JsonObject | undefined {
    let last = -1;
    for (const node of this.#latest.keys()) if (node > last && !this.#hasSuccessor(node)) last = node;
    return this.#latest.get(last);
  }

  /** Outputs by the ids of all nodes without a successor that ran, in plan order. */
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
