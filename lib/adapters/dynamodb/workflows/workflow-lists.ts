import type { WorkflowStore, WorkflowSummary } from '../../../workflows/definition/workflow-store.ts';
import { type Item, readNumber, readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItems } from '../get-items.ts';
import { scanAll } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import { isTombstone, toWorkflow } from './workflow-reader.ts';

export type WorkflowLists = Pick<WorkflowStore, 'list' | 'findAll'>;

/** Lists the workflows that `createWorkflowStore` stores. */
export const createWorkflowLists = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'workflows'>,
): WorkflowLists => ({
  list: async () => {
    const items = await scanAll(client, {
      TableName: tables.workflows,
      IndexName: 'summaries',
      ProjectionExpression: 'workflowId, #name, enabled, #version, updatedAt, #schema',
      FilterExpression: 'attribute_not_exists(removedAt)',
      ExpressionAttributeNames: { '#name': 'name', '#version': 'version', '#schema': 'schema' },
    });
    return items.map(toSummary).sort((a, b) => (a.id < b.id ? -1 : 1));
  },

  findAll: async (workflowIds) => {
    const place = { table: tables.workflows, key: 'workflowId' };
    const items = await getItems(client, place, workflowIds, CURRENT_ATTRIBUTES);
    return items
      .filter((item) => !isTombstone(item))
      .map((item) => ({
        ...toWorkflow(item),
        ...(item.wasHighVolume?.BOOL === true ? { wasHighVolume: true } : {}),
      }));
  },
});

/** What {@link CurrentWorkflow} is read from. */
const CURRENT_ATTRIBUTES = ['workflowId', 'version', 'updatedAt', 'definition', 'removedAt', 'wasHighVolume'];

const toSummary = (item: Item): WorkflowSummary => ({
  id: readText(item, 'workflowId'),
  name: readText(item, 'name'),
  enabled: item.enabled?.BOOL === true,
  version: readNumber(item, 'version'),
  updatedAt: readText(item, 'updatedAt'),
});
