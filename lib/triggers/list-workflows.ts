import type { FindNodeType } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import type { ExecutionSummary, FindLastExecutions } from '../executions/record/execution-store.ts';
import { cursor, hasText, optional, pageSize, text, word } from '../shared/query-fields.ts';
import type { CurrentWorkflow, WorkflowDefinition } from '../workflows/definition/definition.ts';
import { toPathConfigs } from '../workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../workflows/definition/workflow-store.ts';

/** Definitions that are read for one page: with a rare tag, a page has fewer workflows, and the next one continues. */
const MAX_READ = 200;
/** How many are read at once if a filter may drop some. */
const BATCH_SIZE = 100;

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

export interface ListWorkflowsParts {
  readonly workflows: Pick<WorkflowStore, 'list' | 'findAll'>;
  readonly findLastExecutions: FindLastExecutions;
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
  { workflows, findLastExecutions, findNodeType, baseUrl }: ListWorkflowsParts,
) => {
  const { limit, cursor, ...filters } = query;
  const list = JSON.stringify(filters);
  const after = cursor === null ? null : readCursor(cursor, list).at;
  const candidates = (await workflows.list()).filter(
    ({ id, name, enabled }) =>
      (after === null || id > after) && hasText(filters.text, id, name) && isAs(filters.enabled, enabled),
  );
  const isListed = ({ definition }: CurrentWorkflow): boolean =>
    (filters.tag === null || definition.tags?.includes(filters.tag) === true) &&
    (filters.trigger === null ||
      findTriggers(definition, findNodeType, baseUrl).some(({ type }) => type === filters.trigger));
  const batchSize = filters.tag === null && filters.trigger === null ? limit : BATCH_SIZE;
  const found: CurrentWorkflow[] = [];
  let read = 0;
  while (found.length < limit && read < Math.min(candidates.length, MAX_READ)) {
    const batch = candidates.slice(read, Math.min(read + batchSize, MAX_READ));
    read += batch.length;
    found.push(...(await workflows.findAll(batch.map(({ id }) => id))).filter(isListed));
  }
  const shown = found.slice(0, limit);
  const lastExecutions = await findLastExecutions(shown);
  const hasMore = found.length > limit || read < candidates.length;
  const last = (found.length > limit ? shown.at(-1)?.definition : candidates[read - 1])?.id ?? '';
  return {
    workflows: shown.map((workflow) => {
      const { definition, version, updatedAt } = workflow;
      const { id, name, enabled, tags = [], nodes } = definition;
      const unknown = [...new Set(nodes.map(({ type }) => type))].filter(
        (type) => findNodeType(type) === null,
      );
      return {
        id,
        name,
        tags,
        enabled,
        version,
        updatedAt,
        triggers: findTriggers(definition, findNodeType, baseUrl),
        // Node types that no loaded plugin provides: the workflow can't run.
        ...(unknown.length === 0 ? {} : { unknownNodeTypes: unknown }),
        lastExecution: toLast(lastExecutions.get(id)),
      };
    }),
    nextCursor: hasMore ? writeCursor({ part: 'workflows', at: last, executionId: last }, list) : null,
  };
};

const isAs = (wanted: string | null, enabled: boolean): boolean =>
  wanted === null || (wanted === 'true') === enabled;

/** The enabled triggers of a workflow, in the order of its nodes; those of webhooks with each method and its URL. */
export const findTriggers = (definition: WorkflowDefinition, findNodeType: FindNodeType, baseUrl: string) =>
  definition.nodes
    .filter(({ type, disabled }) => disabled !== true && findNodeType(type)?.kind === 'trigger')
    .map(({ id: nodeId, type }) => {
      const addresses = findAddresses(definition, nodeId, baseUrl);
      return { nodeId, type, ...(addresses.length === 0 ? {} : { addresses }) };
    });

/** Each method of an enabled webhook trigger with its URL; none of anything else. */
export const findAddresses = (definition: WorkflowDefinition, nodeId: string, baseUrl: string) =>
  toPathConfigs(definition)
    .filter(({ triggerNodeId }) => triggerNodeId === nodeId)
    .map(({ method, path }) => ({
      method,
      url: `${baseUrl}/api/webhook/${definition.id}${path === '/' ? '' : path}`,
    }));

/** Null if there is none on record. */
const toLast = (last: ExecutionSummary | undefined) => {
  if (last === undefined) return null;
  const { executionId, status, startedAt } = last;
  return { executionId, status, startedAt: new Date(startedAt).toISOString() };
};
