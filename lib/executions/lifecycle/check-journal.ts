import { nodeKeyOf } from '../../engine/node-run.ts';
import { isOpen, type NodeRecord } from '../../engine/result.ts';
import { findBehind } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import { unpackText } from '../record/blob-store.ts';
import type { ExecutionData, ExecutionRecord } from '../record/execution-store.ts';

type RetriedRecord = Pick<ExecutionRecord, 'nodes' | 'status' | 'failure'>;

/**
 * Checks that a retry from a node has the checkpoints of all nodes before it. The journal of a failed run is complete;
 * the journal of any other run is as old as its last wait.
 * @returns the problem; null if there is none
 */
export const checkJournal = async (
  record: RetriedRecord,
  { checkpoints }: Pick<ExecutionData, 'checkpoints'>,
  plan: Plan,
  from: string,
): Promise<string | null> => {
  const { nodes, failure } = record;
  if (checkpoints === null)
    return 'the results of its steps were not kept, so it can only be retried from the start';
  const behind = findBehind(plan, from);
  const before = nodes.filter((node) => !behind.has(rootOf(node)));

  const last = before.find((node) => isOpen(node) || isFailedNode(node, failure));
  if (last !== undefined) return `it ended at its node "${last.nodeId}", which does not follow "${from}"`;
  const names = await readCheckpointNames(checkpoints);
  // Too large to read here: after a failure it is complete, after a success most likely not.
  if (names === null)
    return record.status === 'succeeded' ? 'it succeeded, and its results were not all kept' : null;
  const lost = before.find((node) => {
    const type = findType(plan, node);
    const hasRun = node.status === 'succeeded' || node.status === 'failed';
    if (!hasRun || type?.pure === true) return false;
    // The node type of a subworkflow is not in the plan; assume that it has side effects.
    if (type === undefined || type.control === null) return !names.includes(nodeKeyOf(node));
    // Its inner runs have checkpoints of their own; repeating a wait is harmless.
    if (!type.control.suspends || type.control.bodyOutput === undefined) return false;
    return !names.some((name) => name.startsWith(`${nodeKeyOf(node)}/`));
  });
  return lost === undefined
    ? null
    : `the result of its node "${lost.nodeId}" was not kept, so that node would run again`;
};

/** The type of the node itself or, for a node of a subworkflow, of another node with the same type. */
export const findType = ({ nodes }: Plan, { nodeId, type }: NodeRecord) => {
  const ofType = nodes.filter(({ node }) => node.type === type);
  return (ofType.find(({ node }) => node.id === nodeId) ?? ofType[0])?.nodeType;
};

/**
 * Whether a node run is the failure of the execution: its checkpoint holds the failure, which a replay would repeat.
 */
const isFailedNode = ({ nodeId, status }: NodeRecord, failure: RetriedRecord['failure']): boolean =>
  status === 'failed' && nodeId === failure?.nodeId;

/** @returns null when the journal is in the blob store */
export const readCheckpointNames = async (checkpoints: string): Promise<readonly string[] | null> => {
  if (checkpoints.startsWith('b')) return null;
  const text = await unpackText(checkpoints, { get: () => Promise.resolve(null) });
  return Object.keys(JSON.parse(text) as object);
};

/** The node of the retried workflow that contains a node run. */
export const rootOf = ({ within, nodeId }: NodeRecord): string => within?.split('/')[0] ?? nodeId;
