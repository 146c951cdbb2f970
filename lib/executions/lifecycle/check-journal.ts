import { isOpen, type NodeRecord, nodeKeyOf } from '../../engine/result.ts';
import { findBehind } from '../../workflows/plan/find-behind.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { ExecutionData, ExecutionRecord } from '../record/execution-store.ts';
import { unpackText } from '../record/pack-value.ts';

type RetriedRecord = Pick<ExecutionRecord, 'nodes' | 'status' | 'failure'>;

/**
 * Checks that a retry from a node has the checkpoints of all nodes before it. The journal of a failed run is complete,
 * that of another one as of its last wait.
 *
 * @returns the problem; null for none
 */
export const checkJournal = async (
  record: RetriedRecord,
  { checkpoints }: Pick<ExecutionData, 'checkpoints'>,
  plan: Plan,
  from: string,
): Promise<string | null> => {
  const { nodes, failure } = record;
  if (checkpoints === null)
    return 'what its steps gave was not kept, so that it can only be retried from the start';
  const behind = findBehind(plan, from);
  const before = nodes.filter((node) => !behind.has(rootOf(node)));

  const last = before.find((node) => isOpen(node) || isFailedNode(node, failure));
  if (last !== undefined) return `it ended at its node "${last.nodeId}", which is not behind "${from}"`;
  const names = await readCheckpointNames(checkpoints);
  // Too large to be read here: complete after a failure, most likely not after a success.
  if (names === null) return record.status === 'succeeded' ? 'it succeeded, and kept too little of it' : null;
  const lost = before.find((node) => {
    const type = findType(plan, node);
    const hasRun = node.status === 'succeeded' || node.status === 'failed';
    if (!hasRun || type?.pure === true) return false;
    // A type of a subworkflow is not in the plan: assume that it has side effects.
    if (type === undefined || type.control === null) return !names.includes(nodeKeyOf(node));
    // Its inner runs have checkpoints of their own; repeating a wait is harmless.
    if (!type.control.suspends || type.control.bodyOutput === undefined) return false;
    return !names.some((name) => name.startsWith(`${nodeKeyOf(node)}/`));
  });
  return lost === undefined
    ? null
    : `what its node "${lost.nodeId}" gave was not kept, and it would run again`;
};

/** The type of the node itself; of a node of a subworkflow, that of another node of its type. */
const findType = ({ nodes }: Plan, { nodeId, type }: NodeRecord) => {
  const ofType = nodes.filter(({ node }) => node.type === type);
  return (ofType.find(({ node }) => node.id === nodeId) ?? ofType[0])?.nodeType;
};

/** The checkpoint of this node is its failure, which a replay repeats. */
const isFailedNode = ({ nodeId, status }: NodeRecord, failure: RetriedRecord['failure']): boolean =>
  status === 'failed' && nodeId === failure?.nodeId;

/** @returns null when the journal is in the blob store */
const readCheckpointNames = async (checkpoints: string): Promise<readonly string[] | null> => {
  if (checkpoints.startsWith('b')) return null;
  const text = await unpackText(checkpoints, { get: () => Promise.resolve(null) });
  return Object.keys(JSON.parse(text) as object);
};

/** The node of the retried workflow that contains a node run. */
const rootOf = ({ within, nodeId }: NodeRecord): string => within?.split('/')[0] ?? nodeId;
