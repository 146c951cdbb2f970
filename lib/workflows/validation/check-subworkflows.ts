import { didYouMean, quote } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import type { Problem } from '../definition/problem.ts';

/** The node type that runs another workflow, and the trigger type that it fires there. */
const SUBWORKFLOW = 'subworkflow';
const ENTRY_TRIGGER = 'manualTrigger';

/** Other workflows in the same store. */
interface KnownWorkflows {
  /** The current version; null when there is none. */
  find(workflowId: string): Promise<WorkflowDefinition | null>;
  listIds(): Promise<readonly string[]>;
}

/**
 * Checks that the workflows of `subworkflow` nodes exist in the store and can be run. Not an error of the file, since
 * the other workflow may be stored later.
 */
export const checkSubworkflows = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  workflows: KnownWorkflows,
): Promise<Problem[]> => {
  const messages = new Map<string, string | null>();
  const problems: Problem[] = [];
  for (const [index, { type, parameters, disabled }] of nodes.entries()) {
    const { workflowId } = parameters;
    if (type !== SUBWORKFLOW || disabled === true) continue;
    if (typeof workflowId !== 'string' || workflowId.includes('{{')) continue; // known in a run only
    if (!messages.has(workflowId)) messages.set(workflowId, await describeOther(workflowId, workflows));
    const message = messages.get(workflowId) ?? null;
    if (message !== null) problems.push({ path: `/nodes/${index}/parameters/workflowId`, message });
  }
  return problems;
};

const describeOther = async (
  workflowId: string,
  { find, listIds }: KnownWorkflows,
): Promise<string | null> => {
  const other = await find(workflowId);
  if (other === null) {
    return `there is no workflow ${quote(workflowId)} yet${didYouMean(findNearest(workflowId, await listIds()))}`;
  }
  if (!other.enabled) return `the workflow ${quote(workflowId)} is disabled`;
  const entries = other.nodes.filter(({ type, disabled }) => type === ENTRY_TRIGGER && disabled !== true);
  return entries.length === 1
    ? null
    : `the workflow ${quote(workflowId)} needs one ${ENTRY_TRIGGER} to be run by another, and has ${entries.length}`;
};
