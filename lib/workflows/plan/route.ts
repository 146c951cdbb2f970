import type { Plan, PlanEdge, Route, RouteLoop } from './plan.ts';

/** When an edge settles, after its source has. */
export const EDGE = {
  /** The edge never settles, since its source can't be reached from the trigger. No node waits for it. */
  absent: 0,
  /** The edge settles at once. */
  forward: 1,
  /** The edge starts another iteration of a loop instead of settling. */
  back: 2,
  /** The edge settles when the loop that it leaves is over. */
  exit: 3,
} as const;

/**
 * Computes the route from a node, which does not include the bodies of other nodes.
 * @param trigger - index of the first node
 * @param part - `body` to follow, at the first node, only the edges into its body
 */
export const computeRoute = (
  plan: Pick<Plan, 'nodes' | 'edges'>,
  trigger: number,
  part: 'main' | 'body' = 'main',
): Route => {
  const { nodes, edges } = plan;
  const outgoing = nodes.map((node) =>
    node.outgoing.filter((edge) => edges[edge]?.isBody === (part === 'body' && node.index === trigger)),
  );
  const reachable = reachFrom(edges, outgoing, trigger);
  const found = findLoops({ edges, outgoing }, reachable);

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

/** The nodes that can be reached, depth first, in plan order. */
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

/** The nodes that lead to a node, not following loops back. */
export const findAncestors = (
  { edges }: Pick<Plan, 'edges'>,
  { incoming }: Route,
  node: number,
): ReadonlySet<number> => {
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

/** A graph of nodes 0 … n-1, with the indexes of the outgoing edges of each. */
interface Graph {
  readonly edges: readonly { readonly source: number; readonly target: number }[];
  readonly outgoing: readonly (readonly number[])[];
}

/** A part of the graph that leads back to its header. Two loops are nested or disjoint. */
interface Loop {
  readonly header: number;
  /** All nodes of the loop, including those of inner loops. */
  readonly nodes: readonly number[];
  /** Index of the enclosing loop; -1 for none. Outer loops come before inner ones. */
  readonly parent: number;
  /** The edges from the loop's nodes to the header, in the order of the definition. */
  readonly backEdges: readonly number[];
}

/**
 * The loops of a graph, outermost first: a strongly connected component is a loop; its header is the node that is
 * reached first. Inner loops are found in the component without the edges into the header (B. Steensgaard,
 * "Sequentializing Program Dependence Graphs for Irreducible Programs", 1993), also where a loop has several entries.
 * Uses a worklist instead of recursion, so that depth costs no stack.
 * @param reachable - nodes in depth-first order from the start of the execution
 * @internal
 */
export const findLoops = (graph: Graph, reachable: readonly number[]): Loop[] => {
  const loops: Loop[] = [];
  const cut = new Set<number>(); // the back edges found so far
  const work: { nodes: readonly number[]; parent: number }[] = [{ nodes: reachable, parent: -1 }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const component of findComponents(graph, next.nodes, cut)) {
      // Components keep the order of `reachable`, so the header is the first node.
      const [header = -1] = component;
      const backEdges = component
        .flatMap((node) => graph.outgoing[node] ?? [])
        .filter((edge) => graph.edges[edge]?.target === header && !cut.has(edge))
        .sort((a, b) => a - b);
      if (backEdges.length === 0) continue; // a single node with no edge to itself
      for (const edge of backEdges) cut.add(edge);

      work.push({ nodes: component, parent: loops.length });
      loops.push({ header, nodes: component, parent: next.parent, backEdges });
    }
  }
  return loops;
};

/** Tarjan's strongly connected components among `nodes`, each in the order of `nodes`. */
export const findComponents = (
  graph: Graph,
  nodes: readonly number[],
  cut: ReadonlySet<number> = new Set(),
): number[][] => {
  const position = new Map(nodes.map((node, index) => [node, index]));
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const onStack = new Set<number>();
  const stack: number[] = [];
  const components: number[][] = [];

  const targetsOf = (node: number): number[] =>
    (graph.outgoing[node] ?? [])
      .filter((edge) => !cut.has(edge))
      .map((edge) => graph.edges[edge]?.target ?? -1)
      .filter((target) => position.has(target));

  const lower = (node: number, value: number) => low.set(node, Math.min(low.get(node) ?? value, value));

  const visit = (node: number) => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, targets: targetsOf(node), next: 0 };
  };

  for (const root of nodes) {
    if (order.has(root)) continue;
    const path = [visit(root)];
    for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
      const target = frame.targets[frame.next++];
      if (target !== undefined) {
        if (!order.has(target)) path.push(visit(target));
        else if (onStack.has(target)) lower(frame.node, order.get(target) ?? 0);
        continue;
      }
      path.pop();
      const caller = path.at(-1);
      if (caller !== undefined) lower(caller.node, low.get(frame.node) ?? 0);
      if (low.get(frame.node) === order.get(frame.node)) {
        const component = stack.splice(stack.lastIndexOf(frame.node));
        for (const member of component) onStack.delete(member);
        components.push(component.sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0)));
      }
    }
  }
  return components;
};
