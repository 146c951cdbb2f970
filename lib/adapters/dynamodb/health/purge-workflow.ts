import { readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { callbackPartitions, dataKeyOf } from '../executions/execution-item.ts';
import { deleteItem, queryAll } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import { removeUses } from '../workflows/workflow-uses.ts';

/**
 * Deletes a workflow with its versions and executions, leaving no tombstone. For probes, whose ids are never used
 * again. The workflow's item is deleted last, so that an interrupted deletion can be found and repeated.
 * @returns the number of executions that were deleted
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const purgeWorkflow = async (
  workflowId: string,
  client: DynamoDbClient,
  { executions, workflows, workflowVersions, settings }: TableNames,
): Promise<number> => {
  const records = { client, TableName: executions };
  const listOf = (partition: string) =>
    queryAll(records, {
      IndexName: 'byWorkflow',
      KeyConditionExpression: 'workflowId = :partition',
      values: { ':partition': partition },
    });
  const ids = (await listOf(workflowId)).map((item) => readText(item, 'executionId'));
  const [partition = ''] = callbackPartitions(workflowId);
  const callbacks = (await listOf(partition))
    .filter((item) => readText(item, 'startedAt').endsWith(`#${workflowId}`))
    .map((item) => readText(item, 'executionId'));
  for (const key of [...callbacks, ...ids.map(dataKeyOf), ...ids])
    await deleteItem(records, { executionId: key });
  const archive = { client, TableName: workflowVersions };
  const versions = await queryAll(archive, {
    KeyConditionExpression: 'workflowId = :workflowId',
    values: { ':workflowId': workflowId },
    ProjectionExpression: 'workflowId, #version',
  });
  for (const { version } of versions) await deleteItem(archive, { workflowId, version });
  await removeUses(client, { settings }, workflowId);
  await deleteItem({ client, TableName: workflows }, { workflowId });
  return ids.length;
};
