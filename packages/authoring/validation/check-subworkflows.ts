import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { ENTRY_TRIGGER } from '../../../lib/workflows/definition/entry-trigger.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { listSubworkflows, readSubworkflow } from './graph/subworkflows.ts';

/** The other workflows in the same store. */
interface KnownWorkflows {
  /** The current version; null when there is none. */
  find(workflowId: string): Promise<WorkflowDefinition | null>;
  listIds(): Promise<readonly string[]>;
}

/**
 * Checks that the workflows of `subworkflow` nodes exist in the store and can be run. Not part of file validation, since
 * the other workflow may be stored later.
 */
export const checkSubworkflows = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  workflows: KnownWorkflows,
): Promise<Problem[]> => {
  const messages = new Map<string, string | null>();
  const problems: Problem[] = [];
  for (const { path, workflowId } of listSubworkflows({ nodes })) {
    if (!messages.has(workflowId)) messages.set(workflowId, await describeOther(workflowId, workflows));
    const message = messages.get(workflowId) ?? null;
    if (message !== null) problems.push({ path, message });
  }
  return problems;
};

/** Limits how many workflows are searched. */
const MAX_SEARCHED = 100;

/**
 * Finds the nodes that lead back to their own workflow through others: `a → b → a`. Those that run it directly
 * already have a warning from file validation.
 */
export const findSubworkflowCircles = async (
  { id, nodes }: Pick<WorkflowDefinition, 'id' | 'nodes'>,
  { find }: Pick<KnownWorkflows, 'find'>,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, node] of nodes.entries()) {
    const first = readSubworkflow(node);
    const chain = first === null || first === id ? null : await findWayBack(first, id, find);
    if (chain === null) continue;
    const way = [id, ...chain].join(' → ');
    const message = `leads back to this workflow, ${way}: unless a condition stops it, it fails after ten levels`;
    problems.push({ path: `/nodes/${index}/parameters/workflowId`, message });
  }
  return problems;
};

/** The shortest path from one workflow to another, both included; null when there is none. */
const findWayBack = async (
  from: string,
  to: string,
  find: KnownWorkflows['find'],
): Promise<readonly string[] | null> => {
  const ways: (readonly string[])[] = [[from]];
  const seen = new Set([from]);
  // A loop over a list includes items added while it runs.
  for (const way of ways) {
    const known = await find(way.at(-1) ?? '');
    for (const next of (known?.nodes ?? []).map(readSubworkflow)) {
      if (next === to) return [...way, to];
      if (next === null || seen.has(next) || seen.size === MAX_SEARCHED) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
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
    : `to run as a subworkflow, ${quote(workflowId)} needs exactly one ${ENTRY_TRIGGER}, got ${entries.length}`;
};

/** Maximum length of a URL that is searched. */
const MAX_URL_LENGTH = 4_000;

/**
 * Warns about nodes that start their own workflow, by calling its webhook or as a subworkflow. After a condition this can be
 * intended, so the workflow can still be stored.
 */
export const checkCircles = ({ id, nodes }: Pick<WorkflowDefinition, 'id' | 'nodes'>): Problem[] => {
  const hasWebhook = nodes.some(({ type, disabled }) => type === WEBHOOK_TRIGGER && disabled !== true);
  return nodes.flatMap((node, index): Problem[] => {
    if (node.disabled === true) return [];
    const place = `/nodes/${index}/parameters`;
    if (readSubworkflow(node) === id) {
      const message = 'runs its own workflow: unless a condition stops it, it fails after ten levels';
      return [{ path: `${place}/workflowId`, message, severity: 'warning' }];
    }
    if (!hasWebhook || !isOwnWebhook(node.parameters.url, id)) return [];
    const message = `is the webhook of this workflow, ${quote(id)}, which then calls itself: unless a condition stops it, the tenth execution in a row is refused with 409`;
    return [{ path: `${place}/url`, message, severity: 'warning' }];
  });
};

/** Matches any host: validation does not know the address of the deployed service. */
const isOwnWebhook = (url: unknown, id: string): boolean => {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH) return false;
  const path = `/api/webhook/${id}`;
  const at = url.indexOf(path);
  return at >= 0 && ['/', '?', '#', undefined].includes(url[at + path.length]);
};
