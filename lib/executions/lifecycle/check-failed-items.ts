import { nodeKeyOf } from '../../engine/node-run.ts';
import { hasFailedItems, type NodeRecord } from '../../engine/result.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { Plan, PlanNode } from '../../workflows/plan/plan.ts';
import type { Ports } from '../ports.ts';
import { blobKeyOf, toBlobKey } from '../record/blob-store.ts';
import type { ExecutionData, ExecutionRecord, RetryOptions } from '../record/execution-store.ts';
import { findType, readCheckpointNames, rootOf } from './check-journal.ts';

type Retried = Pick<
  ExecutionRecord,
  'executionId' | 'workflowId' | 'workflowVersion' | 'mode' | 'status' | 'failure' | 'nodes'
>;

/** Failures that others than the run may have recorded: its journal is then as old as its last wait. */
const ENDED_BY_OTHERS: ReadonlySet<string> = new Set([
  'Cancelled',
  'ProcessLost',
  'RunLost',
  'ExecutionTimeout',
]);

/**
 * Checks that the failed items of an execution can be retried alone: there are some, the results of all others were
 * kept, and the version that runs would do nothing else for those.
 * @returns the problem; null if there is none
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const checkFailedItems = async (
  record: Retried,
  { checkpoints }: Pick<ExecutionData, 'checkpoints'>,
  plan: Plan,
  { version }: Pick<RetryOptions, 'version'>,
  { workflows }: Pick<Ports, 'workflows'>,
): Promise<string | null> => {
  const { nodes, workflowId, workflowVersion } = record;
  const loops = nodes.filter((node) => hasFailedItems(node) || isUnfinished(node, plan));
  if (loops.length === 0)
    return 'no item of a forEach has failed in it: retry it from the start, or from a node';
  const lost = plan.isPure ? null : await findLost(record, checkpoints, plan);
  if (lost !== null) return `${lost}, so items that have succeeded would run again: retry it from the start`;
  if (version === 'recorded') return null;
  const before = await workflows.findVersion(workflowId, workflowVersion);
  if (before === null)
    return `its version ${workflowVersion} no longer exists, to compare the current one with`;
  return findChange(loops, plan, before.definition);
};

/** Whether a body was interrupted, so that items have not run. */
const isUnfinished = (node: NodeRecord, plan: Plan): boolean =>
  node.status === 'failed' && findType(plan, node)?.control?.bodyOutput !== undefined;

/** @returns what of the results was not kept; null if nothing is missing */
const findLost = async (
  { executionId, mode, failure, nodes }: Retried,
  checkpoints: string | null,
  plan: Plan,
): Promise<string | null> => {
  if (checkpoints === null)
    return mode === 'inline'
      ? 'it ran while its caller waited, and the results of its steps were not kept'
      : 'the results of its steps were not kept';
  const isOfEnd = blobKeyOf(checkpoints) === toBlobKey(executionId, 'checkpoints', true);
  if (isOfEnd || !ENDED_BY_OTHERS.has(failure?.name ?? '')) return null;
  const names = await readCheckpointNames(checkpoints);
  const known = new Set(names);
  const lost = nodes.find((node) => {
    const type = findType(plan, node);
    // The node type of a subworkflow may not be in the plan; assume that it has side effects.
    const isStep = type === undefined || (!type.pure && type.control === null && type.kind === 'action');
    return node.status === 'succeeded' && isStep && !known.has(nodeKeyOf(node));
  });
  return lost === undefined ? null : `the result of its node "${lost.nodeId}" was not kept`;
};

/** @returns what the current version would do for items that have succeeded; null for nothing */
const findChange = (
  loops: readonly NodeRecord[],
  plan: Plan,
  before: Pick<WorkflowDefinition, 'nodes'>,
): string | null => {
  const nodeOf = new Map(plan.nodes.map((planNode) => [planNode.node.id, planNode]));
  for (const loop of loops) {
    const root = nodeOf.get(rootOf(loop));
    const isThere =
      root !== undefined && (loop.within === undefined ? hasBody(root) : root.nodeType.control !== null);
    if (!isThere || root.node.disabled === true)
      return `the current version has no node "${rootOf(loop)}" that runs its failed items`;
  }
  const typeBefore = new Map(before.nodes.map(({ id, type }) => [id, type]));
  for (const loop of plan.nodes.filter(hasBody)) {
    const route = plan.bodyRouteOf(loop);
    const added = plan.nodes.find(
      ({ index, node, nodeType }) =>
        route.incoming[index]?.length !== 0 && !nodeType.pure && typeBefore.get(node.id) !== node.type,
    );
    if (added !== undefined)
      return `the current version has the new node "${added.node.id}" in the body of "${loop.node.id}", which would run for items that have succeeded, too`;
  }
  return null;
};

const hasBody = ({ nodeType }: PlanNode): boolean => nodeType.control?.bodyOutput !== undefined;
