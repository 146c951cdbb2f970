import type { ListeningStore } from '../../../webhooks/listening/listening-store.ts';
import type { RequestRecord } from '../../../webhooks/requests/request-record.ts';
import type { Listening } from '../../../workflows/definition/workflow-store.ts';
import { json, longJson, readJson, readLongJson } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { findItem, putItem, updateItem } from '../items.ts';
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
      { client, TableName: workflows },
      { workflowId },
      {
        condition: 'attribute_exists(#workflowId) AND attribute_not_exists(#removedAt)',
        set: { listening: json(listening) },
      },
    );
    return written !== null;
  },

  findLatest: async (workflowId) => {
    const item = await readItem(client, workflows, workflowId, true);
    return item === null ? null : readJson<Listening | null>(item, 'listening', null);
  },

  forget: async (workflowId, listening) => {
    await updateItem(
      { client, TableName: workflows },
      { workflowId },
      {
        condition: '#listening = :listening',
        remove: ['listening'],
        values: { ':listening': json(listening) },
      },
    );
  },

  end: (workflowId, id, { request }, expiresAt) =>
    putItem(
      { client, TableName: deliveries },
      keyOfEnd(workflowId, id),
      { content: longJson(request), expiresAt: Math.ceil(expiresAt / 1_000) },
      { condition: 'attribute_not_exists(deliveryId)' },
    ),

  findEnd: (workflowId, id) =>
    findItem({ client, TableName: deliveries }, keyOfEnd(workflowId, id), (item) => ({
      request: readLongJson<RequestRecord | null>(item, 'content', null),
    })),
});

/** No delivery has such an id: those are hashes. */
const keyOfEnd = (workflowId: string, id: string) => ({ deliveryId: `listening:${workflowId}:${id}` });
