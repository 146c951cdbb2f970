import { quote } from '../../../lib/shared/describe.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import type { DraftGraph, DraftNode } from '../graph/draft-graph.ts';
import { findSureNodes, mayDeliverNothing, type SureNodes } from './find-sure-nodes.ts';

const RESPOND_TO_WEBHOOK = 'respondToWebhook';
const SUBWORKFLOW = 'subworkflow';
const ENTRY_TRIGGER = 'manualTrigger';

/** Checks that every path from a webhook with `responseNode` reaches a respondToWebhook, and that no subworkflow runs itself forever. */
export const checkWays = (graph: DraftGraph, workflowId: string): Problem[] => [
  ...checkAnswered(graph),
  ...checkCircle(graph, workflowId),
];

/** When nothing responds at all, `checkCallers` reports it. */
const checkAnswered = (graph: DraftGraph): Problem[] => {
  const waiting = graph.nodes.filter(
    ({ node, isDisabled }) =>
      node.type === WEBHOOK_TRIGGER && node.parameters.responseMode === 'responseNode' && !isDisabled,
  );
  if (waiting.length === 0) return [];
  const isResponder = ({ node, isDisabled }: DraftNode) => node.type === RESPOND_TO_WEBHOOK && !isDisabled;
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
