import { findLoops } from './loops.ts';
import type { PlanEdge, PlanNode } from './plan-graph.ts';

/** A loop on a route, with the data for its turns. */
interface RouteLoop {
  readonly header: number;
  readonly nodes: readonly number[];
  /** Index of the enclosing loop; -1 for none. */
  readonly parent: number;
  /** Number of nodes and loops directly inside: all must settle before a turn is over. */
  readonly units: number;
  readonly backEdges: readonly number[];
  /** Edges with both ends inside, without the back edges of this loop. */
  readonly innerEdges: readonly number[];
  /** Edges that leave it and end within the enclosing loop; those that leave the enclosing loop too belong to that. */
  readonly exitEdges: readonly number[];
  /** Indexes of the loops inside, at any depth. */
  readonly inside: readonly number[];
}

/** The part of a plan that one trigger starts. Arrays are indexed by node or by edge. */
export interface Route {
  readonly trigger: number;
  readonly loops: readonly RouteLoop[];
  /** Innermost loop of a node; -1 for none. */
  readonly loopOf: Int32Array;
  /** Number of incoming edges of a node, without back edges. */
  readonly awaited: Int32Array;
  /** Incoming edges of a node, in the order of the definition, without back edges. */
  readonly incoming: readonly (readonly number[])[];
  /** One of {@link EDGE} per edge. */
  readonly kind: Uint8Array;
}

/** When an edge settles, after its source has. */
export const EDGE = {
  /** Never: its source can't be reached from the trigger. No node waits for it. */
  absent: 0,
  /** At once. */
  forward: 1,
  /** It starts another turn of a loop instead. */
  back: 2,
  /** When the loop that it leaves is over. */
  exit: 3,
} as const;

/**
 * Computes the route from a node. Bodies of other nodes are not part of it.
 * @param trigger - index of the first node
 * @param part - `body` to follow, at the first node, only the edges into its body
 */
export const computeRoute = (
  plan: { readonly nodes: readonly PlanNode[]; readonly edges: readonly PlanEdge[] },
  trigger: number,
  part: 'main' | 'body' = 'main',
): Route => {
  const { nodes, edges } = plan;
  const outgoing = nodes.map((node) =>
    node.outgoing.filter((edge) => edges[edge]?.isBody === (part === 'body' && node.index === trigger)),
  );
  const reachable = reachFrom(edges, outgoing, trigger);
  const found = findLoops({ nodeCount: nodes.length, edges, outgoing }, reachable);

  // Outer loops come first, so the innermost one is written last.
  const loopOf = new Int32Array(nodes.length).fill(-1);
  found.forEach((loop, index) => {
    for (const node of loop.nodes) loopOf[node] = index;
  });

  const kind = new Uint8Array(edges.length);
  const members = found.map((loop) => new Set(loop.nodes));
  const isInside = (loop: number, node: number): boolean => loop === -1 || members[loop]?.has(node) === true;

  for (const source of reachable) {
    for (const edge of outgoing[source] ?? []) {
      const target = edges[edge]?.target ?? -1;
      const leaves = !isInside(loopOf[source] ?? -1, target);
      kind[edge] = leaves ? EDGE.exit : EDGE.forward;
    }
  }
  for (const { backEdges } of found) for (const edge of backEdges) kind[edge] = EDGE.back;

  const inside: number[][] = found.map(() => []);
  const children: number[] = found.map(() => 0);
  found.forEach(({ parent }, index) => {
    if (parent !== -1) children[parent] = (children[parent] ?? 0) + 1;
    for (let outer = parent; outer !== -1; outer = found[outer]?.parent ?? -1) inside[outer]?.push(index);
  });

  const loops = found.map((loop, index): RouteLoop => {
    const leaving = loop.nodes.flatMap((node) => outgoing[node] ?? []);
    return {
      ...loop,
      units: loop.nodes.filter((node) => loopOf[node] === index).length + (children[index] ?? 0),
      innerEdges: leaving.filter(
        (edge) => isInside(index, edges[edge]?.target ?? -1) && !loop.backEdges.includes(edge),
      ),
      exitEdges: leaving.filter((edge) => {
        const target = edges[edge]?.target ?? -1;
        return !isInside(index, target) && isInside(loop.parent, target);
      }),
      inside: inside[index] ?? [],
    };
  });

  const incoming = nodes.map((node) =>
    node.incoming.filter((edge) => kind[edge] === EDGE.forward || kind[edge] === EDGE.exit),
  );
  const awaited = Int32Array.from(incoming, (edges) => edges.length);
  return { trigger, loops, loopOf, awaited, incoming, kind };
};

/** Nodes that can be reached, depth first, in plan order. */
const reachFrom = (
  edges: readonly PlanEdge[],
  outgoing: readonly (readonly number[])[],
  trigger: number,
): number[] => {
  const seen = new Set<number>();
  const work = [trigger];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const targets = (outgoing[node] ?? []).map((edge) => edges[edge]?.target ?? -1);
    work.push(...targets.toReversed().filter((target) => !seen.has(target)));
  }
  return [...seen];
};
