import type { NotedCost } from '../../../workflows/definition/cost-limit.ts';
import type { WorkflowDefinition } from '../../../workflows/definition/definition.ts';
import { json, readJson } from '../attributes.ts';
import { onTable, updateItem } from '../items.ts';
import { isTombstone, readItem } from './workflow-reader.ts';

/** Notes in a workflow's item that it has reached a share of its limit, since every request reads that item. */
export const createCostNotes = onTable('workflows', (table) => ({
  /** @returns null if the workflow was removed */
  find: async (workflowId: string) => {
    const item = await readItem(table.client, table.TableName, workflowId, true);
    if (item === null || isTombstone(item)) return null;
    const { settings } = readJson<WorkflowDefinition>(item, 'definition');
    return {
      limit: settings?.maxCostPerMonth ?? null,
      noted: readJson<NotedCost | null>(item, 'notedCost', null),
    };
  },
  note: async (workflowId: string, noted: NotedCost): Promise<void> => {
    await updateItem(
      table,
      { workflowId },
      {
        condition: 'attribute_exists(#workflowId) AND attribute_not_exists(#removedAt)',
        set: { notedCost: json(noted) },
      },
    );
  },
}));
