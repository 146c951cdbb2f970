import type { ListeningStore } from '../../../webhooks/listening/listening-store.ts';
import type { RequestRecord } from '../../../webhooks/requests/request-record.ts';
import type { Listening } from '../../../workflows/definition/workflow-store.ts';
import { compact, json, longJson, number, optional, readJson, readLongJson, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItem, putItem, sameAs, updateItem } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import { readItem } from '../workflows/workflow-reader.ts';

/**
 * A workflow's item says that a trigger listens, since every request reads it. The end of a listening is an item in the
 * table of deliveries, written on the condition that there is none: the first write wins.
 */
export const createListeningStore = (
  client: DynamoDbClient,
  { workflows, deliveries }: Pick<TableNames, 'workflows' | 'deliveries'>,
): ListeningStore => ({
  begin: async (workflowId, listening) => {
    const written = await updateItem(
      client,
      {
        TableName: workflows,
        Key: { workflowId: text(workflowId) },
        UpdateExpression: 'SET listening = :listening',
        ConditionExpression: 'attribute_exists(workflowId) AND attribute_not_exists(removedAt)',
        ExpressionAttributeValues: { ':listening': json(listening) },
      },
      null,
    );
    return written !== null;
  },

  findLatest: async (workflowId) => {
    const item = await readItem(client, workflows, workflowId, true);
    return item?.listening === undefined ? null : readJson<Listening>(item, 'listening');
  },

  forget: async (workflowId, listening) => {
    await updateItem(
      client,
      {
        TableName: workflows,
        Key: { workflowId: text(workflowId) },
        UpdateExpression: 'REMOVE listening',
        ConditionExpression: 'listening = :listening',
        ExpressionAttributeValues: { ':listening': json(listening) },
      },
      null,
    );
  },

  end: (workflowId, id, { request }, expiresAt) => {
    const Key = keyOf(workflowId, id);
    const Item = compact({
      ...Key,
      content: optional(request, longJson),
      expiresAt: number(Math.ceil(expiresAt / 1_000)),
    });
    const ConditionExpression = 'attribute_not_exists(deliveryId)';
    return putItem(client, { TableName: deliveries, Key, Item, ConditionExpression }, sameAs(Item));
  },

  findEnd: async (workflowId, id) => {
    const Key = keyOf(workflowId, id);
    const item = await getItem(client, { TableName: deliveries, Key, ConsistentRead: true });
    return item === null ? null : { request: readLongJson<RequestRecord | null>(item, 'content', null) };
  },
});

/** No delivery has such an id: those are hashes. */
const keyOf = (workflowId: string, id: string) => ({ deliveryId: text(`listening:${workflowId}:${id}`) });
