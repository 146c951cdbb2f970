import type { WorkflowStore, WorkflowSummary } from '../../../workflows/definition/workflow-store.ts';
import { type Item, readNumber, readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItems, scanAll } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import { isTombstone, toWorkflow } from './workflow-reader.ts';

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
