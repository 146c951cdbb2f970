import { readText } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { scanAll } from './scan-all.ts';
import type { TableNames } from './table-names.ts';

/**
 * Lists the ids of all workflows, removed ones included: their executions are still stored.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const createListWorkflowIds =
  (client: DynamoDbClient, { workflows }: Pick<TableNames, 'workflows'>) =>
  async (): Promise<readonly string[]> => {
    const items = await scanAll(client, { TableName: workflows, ProjectionExpression: 'workflowId' });
    return items.map((item) => readText(item, 'workflowId'));
  };
