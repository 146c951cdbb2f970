/** An edge between nodes that are numbers; 0 is the trigger. */
export interface ModelEdge {
  readonly from: number;
  readonly to: number;
  readonly output: string;
}

export type ModelData = Readonly<Record<string, number>>;

export interface ModelGraph {
  readonly edges: readonly ModelEdge[];
  readonly maxIterations: number;
  /** What a node puts out in its nth run, by output. */
  readonly act: (node: number, run: number) => Readonly<Record<string, ModelData>>;
}

/**
 * The engine's rules for loops again, in the plainest way there is and without a thought of speed: recursive, with
 * components found by reachability. Gives the inputs of each run of each node; null when a loop goes round too often.
 */
export const runModel = ({
  edges,
  maxIterations,
  act,
}: ModelGraph): ReadonlyMap<number, ModelData[]> | null => {
  const order = depthFirst(edges, 0);
  const live = edges.map((_, index) => index).filter((index) => order.includes(at(edges, index).from));
  const delivered = new Map<number, ModelData>();
  const inputs = new Map<number, ModelData[]>(order.map((node) => [node, []]));

  const collect = (from: readonly number[]): ModelData[] =>
    from.map((edge) => delivered.get(edge)).filter((data) => data !== undefined);

  const runNode = (node: number, incoming: readonly number[], returned: readonly ModelData[] | null) => {
    const given = returned ?? collect(incoming);
    const runs = inputs.get(node) ?? [];
    if (node !== 0 && given.length === 0) return; // skipped
    const outputs = act(node, runs.length);
    runs.push(Object.assign({}, ...given));
    for (const edge of live) {
      const { from, output } = at(edges, edge);
      const data = from === node ? outputs[output] : undefined;
      if (data !== undefined) delivered.set(edge, data);
    }
  };

  /** False when a loop inside went round too often. */
  const runRegion = (
    nodes: readonly number[],
    cut: readonly number[],
    header: number | null,
    returned: readonly ModelData[] | null,
  ): boolean => {
    const open = live.filter((edge) => !cut.includes(edge));
    const isInner = (edge: number) =>
      nodes.includes(at(edges, edge).from) && nodes.includes(at(edges, edge).to);
    const waiting = components(
      nodes,
      open.filter(isInner).map((edge) => at(edges, edge)),
    );
    const settled = new Set<number>();
    while (waiting.length > 0) {
      const next = waiting.findIndex((unit) =>
        open
          .filter(
            (edge) =>
              isInner(edge) && unit.includes(at(edges, edge).to) && !unit.includes(at(edges, edge).from),
          )
          .every((edge) => settled.has(at(edges, edge).from)),
      );
      const [unit = []] = waiting.splice(next, 1);
      const [first = -1] = unit;
      const isLoop =
        unit.length > 1 ||
        open.some((edge) => at(edges, edge).from === first && at(edges, edge).to === first);
      const incoming = open.filter((edge) => at(edges, edge).to === first);
      if (!isLoop) runNode(first, incoming, first === header ? returned : null);
      else if (!runLoop(unit, cut)) return false;
      for (const node of unit) settled.add(node);
    }
    return true;
  };

  const runLoop = (nodes: readonly number[], cut: readonly number[]): boolean => {
    const [header = -1] = nodes; // in depth-first order: the first that was reached
    const leaving = live.filter((edge) => nodes.includes(at(edges, edge).from));
    const back = leaving.filter((edge) => at(edges, edge).to === header && !cut.includes(edge));
    const inner = leaving.filter((edge) => nodes.includes(at(edges, edge).to) && !cut.includes(edge));
    let returned: ModelData[] | null = null;
    for (let turn = 1; ; turn++) {
      if (!runRegion(nodes, [...cut, ...back], header, returned)) return false;
      returned = collect(back);
      if (returned.length === 0) return true;
      if (turn === maxIterations) return false;
      // What leaves the loop, or leads back to one around it, stands.
      for (const edge of [...inner, ...back]) delivered.delete(edge);
    }
  };

  return runRegion(order, [], null, null) ? inputs : null;
};

const at = (edges: readonly ModelEdge[], index: number): ModelEdge => {
  const edge = edges[index];
  if (edge === undefined) throw new RangeError(`no edge ${index}`);
  return edge;
};

const depthFirst = (edges: readonly ModelEdge[], node: number, seen: number[] = []): number[] => {
  if (seen.includes(node)) return seen;
  seen.push(node);
  for (const { from, to } of edges) if (from === node) depthFirst(edges, to, seen);
  return seen;
};

/** Nodes that reach one another, each group in the order of `nodes`. */
const components = (nodes: readonly number[], edges: readonly ModelEdge[]): number[][] => {
  const reached = new Map(nodes.map((node) => [node, depthFirst(edges, node)]));
  const groups: number[][] = [];
  for (const node of nodes) {
    const group = groups.find(
      ([first = -1]) => reached.get(first)?.includes(node) && reached.get(node)?.includes(first),
    );
    if (group === undefined) groups.push([node]);
    else group.push(node);
  }
  return groups;
};
