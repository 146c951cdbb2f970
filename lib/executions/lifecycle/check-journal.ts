import { isOpen } from '../../engine/open-nodes.ts';
import { type NodeRecord, nodeKeyOf } from '../../engine/result.ts';
import { findBehind } from '../../workflows/plan/find-behind.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';
import { unpackText } from '../record/pack-value.ts';

type Remembered = Pick<ExecutionRecord, 'checkpoints' | 'nodes' | 'status' | 'failure'>;

/**
 * What keeps a run from being retried from a node on with what it remembers; null when nothing does. A run that failed
 * has kept what all its steps gave, another one what they had given when it last waited.
 */
export const checkJournal = async (record: Remembered, plan: Plan, from: string): Promise<string | null> => {
  const { checkpoints, nodes, failure } = record;
  if (checkpoints === null)
    return 'what its steps gave was not kept, so that it can only be retried from the start';
  const behind = findBehind(plan, from);
  const before = nodes.filter((node) => !behind.has(rootOf(node)));

  const last = before.find((node) => isOpen(node) || isEnd(node, failure));
  if (last !== undefined) return `it ended at its node "${last.nodeId}", which is not behind "${from}"`;
  const names = await readNames(checkpoints);
  // Too large to be looked at here: complete for a run that failed, and most likely not for one that succeeded.
  if (names === null) return record.status === 'succeeded' ? 'it succeeded, and kept too little of it' : null;
  const types = new Map(plan.nodes.map(({ node, nodeType }) => [node.type, nodeType]));
  const lost = before.find((node) => {
    const type = types.get(node.type);
    const hasRun = node.status === 'succeeded' || node.status === 'failed';
    if (!hasRun || type?.pure === true) return false;
    // Of a type that is only in a subworkflow nothing is known: as if it touched the outside.
    if (type === undefined || type.control === null) return !names.includes(nodeKeyOf(node));
    // What ran inside of it has entries of its own; to wait once more harms nobody.
    if (!type.control.suspends || type.control.bodyOutput === undefined) return false;
    return !names.some((name) => name.startsWith(`${nodeKeyOf(node)}/`));
  });
  return lost === undefined
    ? null
    : `what its node "${lost.nodeId}" gave was not kept, and it would run again`;
};

/** Its failure is remembered, and would come again. */
const isEnd = ({ nodeId, status }: NodeRecord, failure: Remembered['failure']): boolean =>
  status === 'failed' && nodeId === failure?.nodeId;

/** Names of steps, waits and answers; null when they are not in the record itself. */
const readNames = async (checkpoints: string): Promise<readonly string[] | null> => {
  if (checkpoints.startsWith('b')) return null;
  const text = await unpackText(checkpoints, { get: () => Promise.resolve(null) });
  return Object.keys(JSON.parse(text) as object);
};

/** The node of the workflow itself in which it ran. */
const rootOf = ({ within, nodeId }: NodeRecord): string => within?.split('/')[0] ?? nodeId;
