import { quote, quoteAll } from '../../../lib/shared/describe.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { findComponents } from '../../../lib/workflows/plan/route.ts';
import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  deliveringOutputs,
  edgesFrom,
  edgesTo,
  outputsBesideBody,
  reachFrom,
  targetsIn,
} from './graph/draft-graph.ts';

export const findLoopNodes = (graph: DraftGraph): ReadonlySet<number> =>
  new Set(
    loopsAmong(
      graph,
      graph.edges.filter((edge) => canDeliver(graph, edge)),
    ).flat(),
  );

/**
 * Finds loops that only a failure can end: no node in them can deliver on an output that leaves the loop, or some of
 * their nodes form a loop through their only outputs.
 */
export const checkLoops = (graph: DraftGraph): Problem[] => {
  const live = graph.edges.filter((edge) => canDeliver(graph, edge));
  const forced = loopsAmong(
    graph,
    live.filter(({ source }) => isForced(graph.nodes[source])),
  );
  const inForced = new Set(forced.flat());
  const closed = loopsAmong(graph, live).filter(
    (loop) => !loop.some((node) => inForced.has(node)) && !hasExit(graph, loop),
  );
  return [...forced, ...closed].map((loop) => ({
    path: `/connections/${findBackEdge(graph, loop)}`,
    message: `closes a loop without an exit (${quoteAll(loop.map((index) => graph.nodes[index]?.node.id ?? ''))}): connect one output of a node such as "if" to a node outside the loop`,
  }));
};

/** The connection that leads back to the first node of a loop. */
const findBackEdge = (graph: DraftGraph, loop: readonly number[]): number => {
  const members = new Set(loop);
  const [header = -1] = loop;
  const back = edgesTo(graph, header).find((edge) => members.has(edge.source) && canDeliver(graph, edge));
  return back?.index ?? 0;
};

/** Whether the run follows an edge. A node follows the edges into its body itself. */
const canDeliver = ({ nodes }: DraftGraph, { source, output, isBody }: DraftEdge): boolean => {
  const node = nodes[source];
  if (node === undefined || isBody) return false;
  const outputs = deliveringOutputs(node);
  return outputs === null || outputs.has(output);
};

/** Loops as strongly connected components, in the order of a run. Nodes that can't be reached are left out. */
const loopsAmong = (graph: DraftGraph, edges: readonly DraftEdge[]): number[][] => {
  const triggers = graph.nodes.filter(({ nodeType }) => nodeType === null || nodeType.kind === 'trigger');
  const reached = reachFrom(
    triggers.map(({ index }) => index),
    targetsIn(graph),
  );
  const outgoing: number[][] = graph.nodes.map(() => []);
  const leadsToItself = new Set<number>();
  edges.forEach(({ source, target }, edge) => {
    outgoing[source]?.push(edge);
    if (source === target) leadsToItself.add(source);
  });
  return findComponents({ edges, outgoing }, [...reached]).filter(
    ([first = -1, ...others]) => others.length > 0 || leadsToItself.has(first),
  );
};

/** Whether a node always delivers, on its one output. */
const isForced = (node: DraftNode | undefined): boolean => {
  if (node === undefined || mayDeliverNothing(node)) return false;
  return outputsBesideBody(node)?.size === 1;
};

const mayDeliverNothing = ({ nodeType, isDisabled }: DraftNode): boolean =>
  !isDisabled && (nodeType === null || nodeType.endsBranch);

/** Whether a node of the loop can deliver on an output that leaves it, or on none. */
const hasExit = (graph: DraftGraph, loop: readonly number[]): boolean => {
  const members = new Set(loop);
  return loop.some((index) => {
    const node = graph.nodes[index];
    const outputs = node === undefined || mayDeliverNothing(node) ? null : outputsBesideBody(node);
    if (outputs === null) return true;
    const inside = edgesFrom(graph, index).filter(({ target }) => members.has(target));
    const leadingOn = new Set(inside.map(({ output }) => output));
    return [...outputs].some((output) => !leadingOn.has(output));
  });
};

/** The engine's limit on nested runs. It also bounds how often a node is visited here. */
const MAX_NESTING = 10;

/**
 * Checks the bodies of nodes: they are entered only through their node and don't connect back to it or out of them. The
 * workflow continues on the other outputs of the node.
 */
export const checkBodies = (graph: DraftGraph): Problem[] => {
  const { nodes } = graph;
  const nesting = new Int32Array(nodes.length);
  let isTooDeep = false;
  return nodes.flatMap(({ index: owner, node, nodeType }) => {
    const output = nodeType?.control?.bodyOutput;
    if (output === undefined || isTooDeep) return [];
    const entries = targetsIn(graph, ({ isBody }) => isBody)(owner);
    const body = reachFrom(entries, targetsIn(graph));
    if (body.has(owner)) {
      const message = `the body of this loop (output ${quote(output)}) must not connect back to the loop node`;
      return [{ path: `/nodes/${owner}`, message }];
    }
    for (const index of body) {
      nesting[index] = (nesting[index] ?? 0) + 1;
      isTooDeep ||= (nesting[index] ?? 0) > MAX_NESTING;
    }
    if (isTooDeep) {
      return [{ path: `/nodes/${owner}`, message: `nests bodies more than ${MAX_NESTING} levels deep` }];
    }
    return [...body]
      .flatMap((index) => edgesTo(graph, index))
      .filter(({ source, isBody }) => !body.has(source) && !(source === owner && isBody))
      .sort((a, b) => a.index - b.index)
      .map(({ index, target }) => ({
        path: `/connections/${index}`,
        message: `${quote(nodes[target]?.node.id ?? '')} is in the body of ${quote(node.id)} (output ${quote(output)}): no node outside that body can connect to it`,
      }));
  });
};
