import type { Clock } from '@hookloom/plugin-kit';
import type { NotedCost } from '../../../workflows/definition/cost-limit.ts';
import type { Workflow, WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import type { PathConfig } from '../../../workflows/definition/path-config.ts';
import type {
  Listening,
  PublishedWorkflow,
  WorkflowReader,
  WorkflowStore,
  WorkflowSummary,
} from '../../../workflows/definition/workflow-store.ts';
import { type Item, readJson, readNumber, readText, toItem } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { findItem, getItem, getItems, scanAll, scanPage, type Table } from '../items.ts';
import type { TableNames } from '../table-names.ts';

/** Reads the workflows that `createWorkflowStore` stores; functions of the service only read them. */
export const createWorkflowReader = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'workflows' | 'workflowVersions'>,
  clock: Pick<Clock, 'now'>,
): WorkflowReader => ({
  find: async (workflowId) => {
    const item = await readItem(client, tables.workflows, workflowId, false);
    if (item === null || isTombstone(item)) return null;
    if (item.notedCost === undefined) return toPublished(item);
    const { holdAtLimit } = await import('../../../workflows/definition/hold-at-limit.chunk.ts');
    return holdAtLimit(toPublished(item), readJson<NotedCost>(item, 'notedCost'), clock.now());
  },

  findVersion: async (workflowId, version) => {
    const current = await readItem(client, tables.workflows, workflowId, true);
    if (current !== null && !isTombstone(current) && readNumber(current, 'version') === version) {
      return toWorkflow(current);
    }
    // With all changes, since one may have archived it a moment ago.
    return findItem({ client, TableName: tables.workflowVersions }, { workflowId, version }, toWorkflow);
  },
});

/** The item of a workflow's current version, or its tombstone; null if there never was one. */
export const readItem = (
  client: DynamoDbClient,
  TableName: string,
  workflowId: string,
  isConsistent: boolean,
): Promise<Item | null> => getItem({ client, TableName }, { workflowId }, isConsistent);

export const isTombstone = (item: Item): boolean => item.removedAt !== undefined;

export const toWorkflow = (item: Item): Workflow => ({
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
  definition: readJson<WorkflowDefinition>(item, 'definition'),
});

const toPublished = (item: Item): PublishedWorkflow => ({
  ...toWorkflow(item),
  pathConfigs: readJson<PathConfig[]>(item, 'pathConfigs'),
  ...(item.listening === undefined ? {} : { listening: readJson<Listening>(item, 'listening') }),
});

export type WorkflowLists = Pick<WorkflowStore, 'list' | 'findAll'>;

/** Lists the workflows that `createWorkflowStore` stores. */
export const createWorkflowLists = (
  client: DynamoDbClient,
  { workflows: TableName }: Pick<TableNames, 'workflows'>,
): WorkflowLists => {
  const table = { client, TableName };
  return {
    list: async () => {
      const items = await scanAll(table, {
        IndexName: 'summaries',
        ProjectionExpression: 'workflowId, #name, enabled, #version, updatedAt, #schema',
        FilterExpression: 'attribute_not_exists(removedAt)',
      });
      return items.map(toSummary).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    findAll: async (workflowIds) => {
      const items = await getItems(table, 'workflowId', workflowIds, CURRENT_ATTRIBUTES);
      return items
        .filter((item) => !isTombstone(item))
        .map((item) => ({
          ...toWorkflow(item),
          ...(item.wasHighVolume?.BOOL === true ? { wasHighVolume: true } : {}),
        }));
    },
  };
};

/** What {@link CurrentWorkflow} is read from. */
const CURRENT_ATTRIBUTES = ['workflowId', 'version', 'updatedAt', 'definition', 'removedAt', 'wasHighVolume'];

const toSummary = (item: Item): WorkflowSummary => ({
  id: readText(item, 'workflowId'),
  name: readText(item, 'name'),
  enabled: item.enabled?.BOOL === true,
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
});

/**
 * Reads a page of 1 MB of the current versions of all workflows.
 * @returns the ids with those of removed workflows, and where the next page starts; null at the end
 * @param after - the workflow id after which the page starts, which need not exist; null for the first page
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const scanDefinitions = async (table: Table, after: string | null) => {
  const { items, next } = await scanPage(table, {
    ProjectionExpression: 'workflowId, updatedAt, #definition, #schema',
    ExclusiveStartKey: after === null ? undefined : toItem({ workflowId: after }),
  });
  return {
    ids: items.map((item) => readText(item, 'workflowId')),
    // Removed workflows have none.
    workflows: items
      .filter(({ definition }) => definition !== undefined)
      .map((item) => ({
        updatedAt: readText(item, 'updatedAt'),
        definition: readJson<WorkflowDefinition>(item, 'definition'),
      })),
    next: next === undefined ? null : readText(next, 'workflowId'),
  };
};
