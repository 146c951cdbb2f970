import { readText, text } from '../attributes.ts';
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
  const listOf = (partition: string) =>
    queryAll(client, {
      TableName: executions,
      IndexName: 'byWorkflow',
      KeyConditionExpression: 'workflowId = :partition',
      ExpressionAttributeValues: { ':partition': text(partition) },
    });
  const ids = (await listOf(workflowId)).map((item) => readText(item, 'executionId'));
  const [partition = ''] = callbackPartitions(workflowId);
  const callbacks = (await listOf(partition))
    .filter((item) => readText(item, 'startedAt').endsWith(`#${workflowId}`))
    .map((item) => readText(item, 'executionId'));
  for (const key of [...callbacks, ...ids.map(dataKeyOf), ...ids])
    await deleteItem(client, { TableName: executions, Key: { executionId: text(key) } });
  const versions = await queryAll(client, {
    TableName: workflowVersions,
    KeyConditionExpression: 'workflowId = :workflowId',
    ExpressionAttributeValues: { ':workflowId': text(workflowId) },
    ProjectionExpression: 'workflowId, #version',
    ExpressionAttributeNames: { '#version': 'version' },
  });
  for (const { workflowId: id = text(''), version = text('') } of versions)
    await deleteItem(client, { TableName: workflowVersions, Key: { workflowId: id, version } });
  await removeUses(client, { settings }, workflowId);
  await deleteItem(client, { TableName: workflows, Key: { workflowId: text(workflowId) } });
  return ids.length;
};
