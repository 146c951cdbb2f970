import { placesBetween, type RequestRecord } from '../../../webhooks/requests/request-record.ts';
import type { RequestQuery, RequestStore } from '../../../webhooks/requests/request-store.ts';
import { blankOf, type Item, longText, readLongJson, readText } from '../attributes.ts';
import {
  isExpired,
  type Retention,
  toExpiry,
  workflowIn,
  workflowPartitions,
  workflowShardOf,
} from '../executions/execution-item.ts';
import { getItem, mergeQueries, onTable, putItem } from '../items.ts';

/** How many requests one read of a partition returns: some ten kilobytes. */
const PAGE_SIZE = 25;

/**
 * One item per recorded request. Its key sorts by time, and everything else is one compressed attribute. A workflow's requests
 * are spread over shards: recording one takes up to seven write units, and a partition takes 1,000 a second. Releases before
 * version 4 of the schema put all into the partition of the workflow's own id.
 */
export const createRequestStore = onTable(
  'requests',
  (table, { retentionDays, clock }: Retention): RequestStore => {
    const isKept = (item: Item): boolean => !isExpired(item, clock.now());

    return {
      put: (record) =>
        putItem(table, keyOfRequest(record), toAttributes(record, retentionDays), {
          condition: 'attribute_not_exists(place)',
        }),

      fill: async (record) => {
        const { content, ...rest } = toAttributes(record, retentionDays);
        await putItem(table, keyOfRequest(record), { ...rest, content: blankOf(content) });
      },

      find: async (workflowId, place) => {
        const item =
          (await getItem(table, keyOfRequest({ workflowId, place }))) ??
          (await getItem(table, { workflowId, place }));
        return item !== null && isKept(item) ? toRequest(item) : null;
      },

      scan: async function* ({ workflowId, kind, from, to }: RequestQuery) {
        const [first, last] = placesBetween(kind, from, to);
        const queries = workflowPartitions(workflowId).map((partition) => ({
          KeyConditionExpression: 'workflowId = :partition AND place BETWEEN :first AND :last',
          values: { ':partition': partition, ':first': first, ':last': last },
          ScanIndexForward: false,
          Limit: PAGE_SIZE,
        }));
        for await (const [item] of mergeQueries(table, 'place', queries))
          if (isKept(item)) yield toRequest(item);
      },
    };
  },
);

const keyOfRequest = ({ workflowId, place }: Pick<RequestRecord, 'workflowId' | 'place'>) => ({
  workflowId: workflowShardOf(workflowId, place),
  place,
});

const toAttributes = (
  { workflowId: _id, place: _place, ...content }: RequestRecord,
  retentionDays: number,
) => ({
  content: longText(JSON.stringify(content)),
  expiresAt: toExpiry(content.receivedAt, retentionDays),
});

export const toRequest = (item: Item): RequestRecord => ({
  ...readLongJson<RequestRecord>(item, 'content', {} as RequestRecord),
  workflowId: workflowIn(item),
  place: readText(item, 'place'),
});
