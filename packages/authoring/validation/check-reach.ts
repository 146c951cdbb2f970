import { quote } from '../../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { RESPOND_TO_WEBHOOK } from '../../../lib/workflows/definition/responses.ts';
import { type DraftGraph, reachFrom, sourcesIn, targetsIn } from './graph/draft-graph.ts';
import { proposeAdditions } from './proposals/proposal.ts';

/** Checks that a workflow has a trigger that can fire and that triggers reach all its nodes. */
export const checkReach = (
  graph: DraftGraph,
  definition: Pick<WorkflowDefinition, 'connections'>,
  hasValidConnections: boolean,
): Problem[] => [
  ...checkTriggers(graph),
  ...(hasValidConnections ? checkNodesBehind(graph, definition) : []),
];

/** Disabled triggers count when there are no others: they may be enabled later. */
const checkTriggers = ({ nodes }: DraftGraph): Problem[] => {
  // A node of an unknown type may be a trigger.
  if (nodes.length === 0 || nodes.some(({ nodeType }) => nodeType === null)) return [];
  const triggers = nodes.filter(({ nodeType }) => nodeType?.kind === 'trigger');
  const enabled = triggers.filter(({ isDisabled }) => !isDisabled);
  const counted = enabled.length > 0 ? enabled : triggers;
  if (counted.some(({ nodeType }) => nodeType?.firedBy !== null)) return [];
  const [first] = counted;
  const message =
    first === undefined
      ? 'nothing starts the workflow: add a webhookTrigger, or a manualTrigger to run it by hand or from other workflows'
      : `nothing fires triggers of the type ${quote(first.node.type)}, and the workflow has no other trigger: use a webhookTrigger`;
  return [{ path: first === undefined ? '/nodes' : `/nodes/${first.index}/type`, message }];
};

/** Reports the first node of each unreached part. Disabled nodes may be kept for later. */
const checkNodesBehind = (
  graph: DraftGraph,
  { connections }: Pick<WorkflowDefinition, 'connections'>,
): Problem[] => {
  const { nodes, indexOf } = graph;
  // A connection to an unknown node was probably intended for an unreached one.
  if (connections.some(({ targetNodeId }) => !indexOf.has(targetNodeId))) return [];
  const next = targetsIn(graph);
  const reached = new Set(reachFrom(findRoots(graph, connections), next));
  if (!nodes.some(({ nodeType }) => nodeType === null || nodeType.kind === 'trigger')) return [];

  const left = nodes.filter(({ index, isDisabled }) => !reached.has(index) && !isDisabled);
  const isBegin = (index: number): boolean =>
    sourcesIn(graph)(index).every((source) => reached.has(source) || source === index);
  // Parts without a beginning are loops: their first node is reported.
  const inOrder = [...left.filter(({ index }) => isBegin(index)), ...left];
  return inOrder.flatMap(({ index, node }) => {
    if (reached.has(index)) return [];
    const part = [...reachFrom([index], (at) => next(at).filter((to) => !reached.has(to)))];
    for (const behind of part) reached.add(behind);
    const enabled = part.filter((at) => nodes[at]?.isDisabled === false);
    // A caller may wait for the answer of the part: disabling that would be the next problem.
    const isAnswer = part.some((at) => nodes[at]?.node.type === RESPOND_TO_WEBHOOK);
    const disabling = enabled.map((at) => [`/nodes/${at}/disabled`, true] as const);
    return [
      {
        path: `/nodes/${index}`,
        message: `no trigger leads to ${quote(node.id)}: connect it, or disable it to keep it for later`,
        ...(isAnswer ? {} : proposeAdditions(disabling)),
      },
    ];
  });
};

/** Nodes at which runs begin, and nodes with invalid connections, which are reported elsewhere. */
const findRoots = (
  { nodes, indexOf }: DraftGraph,
  connections: WorkflowDefinition['connections'],
): number[] => {
  const starts = nodes.filter(
    ({ nodeType, node, index }) =>
      nodeType === null || nodeType.kind === 'trigger' || indexOf.get(node.id) !== index,
  );
  const duplicates = starts.map(({ node }) => indexOf.get(node.id) ?? -1);
  const misconnected = connections.flatMap(({ sourceNodeId, targetNodeId }) => {
    const source = indexOf.get(sourceNodeId);
    const target = indexOf.get(targetNodeId);
    if (target === undefined) return [];
    if (source === undefined) return [target];
    return nodes[target]?.nodeType?.kind === 'trigger' ? [source] : []; // reversed
  });
  return [...starts.map(({ index }) => index), ...duplicates, ...misconnected];
};
