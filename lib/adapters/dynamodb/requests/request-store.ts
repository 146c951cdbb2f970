import type { Clock } from '../../../contract/services.ts';
import { placesBetween, type RequestRecord } from '../../../webhooks/requests/request-record.ts';
import type { RequestQuery, RequestStore } from '../../../webhooks/requests/request-store.ts';
import { blankOf, type Item, longJson, number, readLongJson, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { isExpired, toExpiry } from '../executions/execution-item.ts';
import { getItem, putItem, sameAs } from '../items.ts';
import { checkVersions } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';
import { translateErrors } from '../translate-error.ts';

/** Of one read: some hundred kilobytes. */
const PAGE_SIZE = 100;

interface RequestStoreOptions {
  readonly retentionDays: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** One item per recorded request. Its key sorts by time, and what else it says is one compressed attribute. */
export const createRequestStore = (
  client: DynamoDbClient,
  { requests: TableName }: Pick<TableNames, 'requests'>,
  { retentionDays, clock }: RequestStoreOptions,
): RequestStore => {
  const isKept = (item: Item): boolean => !isExpired(item, clock.now());
  return {
    put: (record) => {
      const Key = { workflowId: text(record.workflowId), place: text(record.place) };
      const Item = toItem(record, retentionDays);
      const ConditionExpression = 'attribute_not_exists(place)';
      return putItem(client, { TableName, Key, Item, ConditionExpression }, sameAs(Item));
    },

    fill: async (record) => {
      const Key = { workflowId: text(record.workflowId), place: text(record.place) };
      const { content, ...rest } = toItem(record, retentionDays);
      await putItem(client, { TableName, Key, Item: { ...rest, content: blankOf(content) } }, null);
    },

    find: async (workflowId, place) => {
      const Key = { workflowId: text(workflowId), place: text(place) };
      const item = await getItem(client, { TableName, Key, ConsistentRead: true });
      return item !== null && isKept(item) ? toRecord(item) : null;
    },

    scan: async function* ({ workflowId, kind, from, to }: RequestQuery) {
      const [first, last] = placesBetween(kind, from, to);
      let next: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await translateErrors(
          client.query({
            TableName,
            KeyConditionExpression: 'workflowId = :workflowId AND place BETWEEN :first AND :last',
            ExpressionAttributeValues: {
              ':workflowId': text(workflowId),
              ':first': text(first),
              ':last': text(last),
            },
            ScanIndexForward: false,
            Limit: PAGE_SIZE,
            ExclusiveStartKey: next,
          }),
        );
        await checkVersions(TableName, Items);
        for (const item of Items) if (isKept(item)) yield toRecord(item);
        next = LastEvaluatedKey;
      } while (next !== undefined);
    },
  };
};

const toItem = ({ workflowId, place, ...content }: RequestRecord, retentionDays: number) => ({
  workflowId: text(workflowId),
  place: text(place),
  content: longJson(content),
  expiresAt: number(toExpiry(content.receivedAt, retentionDays)),
});

const toRecord = (item: Item): RequestRecord => ({
  ...readLongJson<RequestRecord>(item, 'content', {} as RequestRecord),
  workflowId: readText(item, 'workflowId'),
  place: readText(item, 'place'),
});
