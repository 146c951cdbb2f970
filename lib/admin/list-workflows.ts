import type { FindNodeType } from '@hookloom/plugin-kit/host';
import pLimit from 'p-limit';
import * as v from 'valibot';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import type { ExecutionStatus, ExecutionStore } from '../executions/record/execution-store.ts';
import { cursor, hasText, optional, pageSize, text, word } from '../shared/query-fields.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { toPathConfigs } from '../workflows/definition/to-path-configs.ts';
import type { PublishedWorkflow, WorkflowStore } from '../workflows/definition/workflow-store.ts';

/** Definitions that are read for one page: with a rare tag, a page has fewer workflows, and the next one continues. */
const MAX_READ = 200;
const CONCURRENT_READS = 10;

/** The filters of a list of workflows, as strings. */
export const workflowQuery = v.object({
  text: optional(text, 'Part of the id or the name, in any case'),
  enabled: v.nullish(word(['true', 'false']), null),
  tag: optional(text, "One of the workflow's `tags`"),
  trigger: optional(text, 'The type of one of its enabled triggers'),
  limit: pageSize,
  cursor,
});

type WorkflowQuery = Readonly<v.InferOutput<typeof workflowQuery>>;

interface WorkflowTrigger {
  readonly nodeId: string;
  readonly type: string;
  /** Of a webhook: each method with its URL. */
  readonly addresses?: readonly { readonly method: string; readonly url: string }[];
}

interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly triggers: readonly WorkflowTrigger[];
  /** Node types that no loaded plugin provides: the workflow can't run. Absent if there are none. */
  readonly unknownNodeTypes?: readonly string[];
  /** Null if there is none on record. */
  readonly lastExecution: {
    readonly executionId: string;
    readonly status: ExecutionStatus;
    /** ISO 8601, UTC. */
    readonly startedAt: string;
  } | null;
}

export interface ListWorkflowsParts {
  readonly workflows: Pick<WorkflowStore, 'list' | 'find'>;
  readonly executions: Pick<ExecutionStore, 'list'>;
  readonly findNodeType: FindNodeType;
  /** Where webhooks are reached: `https://abc.execute-api.eu-west-1.amazonaws.com`. */
  readonly baseUrl: string;
}

/**
 * A page of the current workflows by id. May have fewer than requested, although more follow.
 *
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listWorkflows = async (
  query: WorkflowQuery,
  { workflows, executions, findNodeType, baseUrl }: ListWorkflowsParts,
): Promise<{ readonly workflows: readonly ListedWorkflow[]; readonly nextCursor: string | null }> => {
  const { limit, cursor, ...filters } = query;
  const list = JSON.stringify(filters);
  const after = cursor === null ? null : readCursor(cursor, list).at;
  const candidates = (await workflows.list()).filter(
    ({ id, name, enabled }) =>
      (after === null || id > after) && hasText(filters.text, id, name) && isAs(filters.enabled, enabled),
  );
  const inTurn = pLimit(CONCURRENT_READS);
  const found: ListedWorkflow[] = [];
  let read = 0;
  while (found.length < limit && read < Math.min(candidates.length, MAX_READ)) {
    const batch = candidates.slice(read, read + Math.min(limit - found.length, MAX_READ - read));
    read += batch.length;
    const listed = batch.map(({ id }) =>
      inTurn(async () => {
        const workflow = await workflows.find(id);
        if (workflow === null) return []; // removed a moment ago
        const triggers = findTriggers(workflow.definition, findNodeType, baseUrl);
        const { tags = [] } = workflow.definition;
        if (filters.tag !== null && !tags.includes(filters.tag)) return [];
        if (filters.trigger !== null && !triggers.some(({ type }) => type === filters.trigger)) return [];
        const types = new Set(workflow.definition.nodes.map(({ type }) => type));
        const unknown = [...types].filter((type) => findNodeType(type) === null);
        return [
          {
            ...describe(workflow),
            triggers,
            ...(unknown.length === 0 ? {} : { unknownNodeTypes: unknown }),
            lastExecution: await findLast(id, executions),
          },
        ];
      }),
    );
    found.push(...(await Promise.all(listed)).flat());
  }
  const last = candidates[read - 1];
  const isDone = last === undefined || read === candidates.length;
  const place = { part: 'workflows', at: last?.id ?? '', executionId: last?.id ?? '' };
  return { workflows: found, nextCursor: isDone ? null : writeCursor(place, list) };
};

const isAs = (wanted: string | null, enabled: boolean): boolean =>
  wanted === null || (wanted === 'true') === enabled;

const describe = ({ definition, version, updatedAt }: PublishedWorkflow) => {
  const { id, name, enabled, tags = [] } = definition;
  return { id, name, tags, enabled, version, updatedAt };
};

/** The enabled triggers of a workflow, in the order of its nodes. */
export const findTriggers = (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  baseUrl: string,
): WorkflowTrigger[] => {
  return definition.nodes
    .filter(({ type, disabled }) => disabled !== true && findNodeType(type)?.kind === 'trigger')
    .map(({ id: nodeId, type }) => {
      const addresses = findAddresses(definition, nodeId, baseUrl);
      return { nodeId, type, ...(addresses.length === 0 ? {} : { addresses }) };
    });
};

/** Each method of an enabled webhook trigger with its URL; none of anything else. */
export const findAddresses = (
  definition: WorkflowDefinition,
  nodeId: string,
  baseUrl: string,
): readonly { readonly method: string; readonly url: string }[] =>
  toPathConfigs(definition)
    .filter(({ triggerNodeId }) => triggerNodeId === nodeId)
    .map(({ method, path }) => ({ method, url: toUrl(baseUrl, definition.id, path) }));

const toUrl = (baseUrl: string, workflowId: string, path: string): string =>
  `${baseUrl}/api/webhook/${workflowId}${path === '/' ? '' : path}`;

const findLast = async (
  workflowId: string,
  executions: Pick<ExecutionStore, 'list'>,
): Promise<ListedWorkflow['lastExecution']> => {
  const [last] = (await executions.list({ workflowId, limit: 1, isTrial: false })).executions;
  if (last === undefined) return null;
  const { executionId, status, startedAt } = last;
  return { executionId, status, startedAt: new Date(startedAt).toISOString() };
};
