import { quote } from '../../../../lib/shared/describe.ts';
import { ENTRY_TRIGGER } from '../../../../lib/workflows/definition/entry-trigger.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  outputsBesideBody,
  reachFrom,
  sourcesIn,
  targetsIn,
} from '../graph/draft-graph.ts';
import { SUBWORKFLOW } from '../graph/subworkflows.ts';
import { isResponder } from './check-callers.ts';

/** Checks that every path from a webhook with `responseNode` reaches a respondToWebhook, and that no subworkflow runs itself forever. */
export const checkWays = (graph: DraftGraph, workflowId: string): Problem[] => [
  ...checkAnswered(graph),
  ...checkCircle(graph, workflowId),
];

/** Checks that each path responds. When nothing responds at all, `checkCallers` reports it. */
const checkAnswered = (graph: DraftGraph): Problem[] => {
  const waiting = graph.nodes.filter(
    ({ node, isDisabled }) =>
      node.type === WEBHOOK_TRIGGER && node.parameters.responseMode === 'responseNode' && !isDisabled,
  );
  if (waiting.length === 0) return [];
  const answered = findSureNodes(graph, isResponder, true);
  const problems = new Map<string, Problem>();
  const work = waiting
    .map(({ index }) => index)
    .filter((index) => answered.mayReach(index) && !answered.has(index));
  const seen = new Set(work);
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    const node = graph.nodes[index];
    if (node === undefined) continue;
    for (const message of describeEnds(node, answered))
      problems.set(`${index} ${message}`, { path: `/nodes/${index}`, message, severity: 'warning' });
    for (const target of nextOf(index, answered)) {
      if (seen.has(target)) continue;
      seen.add(target);
      work.push(target);
    }
  }
  return [...problems.values()];
};

const CONSEQUENCE = 'the caller gets an error after the run: connect it to a respondToWebhook';

const describeEnds = (node: DraftNode, answered: SureNodes): string[] => {
  const { id } = node.node;
  const ends = answered.unsureWays(node.index).filter(({ targets }) => targets.length === 0);
  if (mayDeliverNothing(node) && answered.mayReach(node.index))
    return [
      `when ${quote(id)} lets nothing through, no respondToWebhook runs, and the caller gets an error after the run: use "if", with a response on each output`,
    ];
  return ends.map(({ output }) =>
    output === 'main'
      ? `${quote(id)} ends a path on which no respondToWebhook runs: ${CONSEQUENCE}`
      : `the output ${quote(output)} of ${quote(id)} leads to no respondToWebhook: ${CONSEQUENCE}`,
  );
};

/** Where to search next: for each path that may not respond, the targets that can reach a response, or else the first. */
const nextOf = (index: number, answered: SureNodes): number[] =>
  answered.unsureWays(index).flatMap(({ targets }) => {
    const able = targets.filter((target) => answered.mayReach(target));
    return able.length > 0 ? able : targets.slice(0, 1);
  });

/** Reports a workflow that runs itself on every path when another workflow runs it. */
const checkCircle = (graph: DraftGraph, workflowId: string): Problem[] => {
  const isOwn = ({ node, isDisabled }: DraftNode) =>
    node.type === SUBWORKFLOW && node.parameters.workflowId === workflowId && !isDisabled;
  if (!graph.nodes.some(isOwn)) return [];
  const circle = findSureNodes(graph, isOwn, false);
  const isEndless = graph.nodes.some(
    ({ index, node }) => node.type === ENTRY_TRIGGER && circle.has(index) && circle.mayReach(index),
  );
  if (!isEndless) return [];
  const message = `every run of ${quote(workflowId)} runs ${quote(workflowId)} again, endlessly: make it depend on a condition`;
  return graph.nodes
    .filter(isOwn)
    .map(({ index }) => ({ path: `/nodes/${index}/parameters/workflowId`, message }));
};

/** An output through which a run can leave a node, and the nodes that it leads to. */
interface Way {
  readonly output: string;
  readonly targets: readonly number[];
}

interface SureNodes {
  /** Whether every path from a node reaches a wanted node. */
  has(index: number): boolean;
  /** Whether some path leads from a node to a wanted one. */
  mayReach(index: number): boolean;
  /** The outputs of a node from which a wanted node may not be reached. */
  unsureWays(index: number): readonly Way[];
}

/**
 * Finds the nodes from which every path reaches a wanted node, whichever outputs deliver. Paths that end in a failure do not count.
 *
 * @param inDoubt - what to assume where the file does not tell: for outputs known only at run time, and for parallel
 *   branches, where conditions may always let one through
 */
const findSureNodes = (
  graph: DraftGraph,
  isWanted: (node: DraftNode) => boolean,
  inDoubt: boolean,
): SureNodes => {
  const { nodes } = graph;
  const isForward = ({ isBody }: DraftEdge) => !isBody;
  const wanted = nodes.filter(isWanted).map(({ index }) => index);
  const reaching = reachFrom(wanted, sourcesIn(graph, isForward));
  const sure = new Set(nodes.map(({ index }) => index));
  const isSureWay = ({ targets }: Way): boolean => {
    if (targets.some((target) => sure.has(target))) return true;
    return inDoubt && targets.filter((target) => reaching.has(target)).length > 1;
  };
  const isSure = (node: DraftNode): boolean => {
    if (isWanted(node)) return true;
    const ways = waysOut(graph, node);
    if (ways === null) return inDoubt;
    if (ways.length === 0) return inDoubt; // the run ends with a failure
    return !mayDeliverNothing(node) && ways.every(isSureWay);
  };
  // Starts from all nodes, so that a loop is as certain as its exits.
  const work = [...nodes];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (!sure.has(node.index) || isSure(node)) continue;
    sure.delete(node.index);
    for (const source of sourcesIn(graph)(node.index)) work.push(...nodes.slice(source, source + 1));
  }
  return {
    has: (index) => sure.has(index),
    mayReach: (index) => reaching.has(index),
    unsureWays: (index) => {
      const node = nodes[index];
      return node === undefined ? [] : (waysOut(graph, node) ?? []).filter((way) => !isSureWay(way));
    },
  };
};

const mayDeliverNothing = ({ nodeType, isDisabled }: DraftNode): boolean =>
  !isDisabled && nodeType?.endsBranch === true;

/** Returns the exits of a node; null when its outputs are known only at run time. */
const waysOut = (graph: DraftGraph, node: DraftNode): readonly Way[] | null => {
  const outputs = node.nodeType === null ? null : outputsBesideBody(node);
  if (outputs === null) return null;
  return [...outputs].map((output) => ({
    output,
    targets: targetsIn(graph, (edge) => edge.output === output)(node.index),
  }));
};
