import {
  keptMsOf,
  type Notice,
  type NoticeStore,
  noticeIdOf,
  type OutgoingMessage,
  type ReceiverState,
  type Sent,
  type StoredNotice,
} from '../../../health/notices/notice.ts';
import { STORE_UNAVAILABLE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import {
  type Attributes,
  type Item,
  json,
  longJson,
  readJson,
  readLongJson,
  readNumber,
  readText,
} from '../attributes.ts';
import {
  deleteItem,
  findItem,
  ifStill,
  onTable,
  putItem,
  queryAll,
  queryPage,
  type Table,
  updateItem,
} from '../items.ts';

/** The partition of all notices. */
const NOTICES = 'notices';

/** The partition of what receivers were sent. */
const RECEIVERS = 'receivers';

/** How long the number of a receiver's last message is kept: longer than a repeated message is recognised. */
const RECEIVER_MS = 40 * 86_400_000;

/** Another process may settle or open the notice between the read and the write. */
const MAX_TRIES = 5;

/** What each receiver was sent of a notice is an attribute with this prefix, so that it is set without reading. */
const SENT = 'sent:';

/** One item per notice, counted without reading it, so that many failures at once need no second try. */
export const createNoticeStore = onTable(
  'notices',
  (table): NoticeStore => ({
    raise: async (notice) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const counted = await count(table, notice, null);
        if (counted !== null) return counted;
        const found = await findItem(table, keyOf(noticeIdOf(notice)), toStored);
        if (found === null || (found.settledAt === null && !isCounted(found, notice))) continue; // changed since
        if (found.settledAt === null || isCounted(found, notice) || notice.at <= found.settledAt)
          return found;
        const reopened = await count(table, notice, found.settledAt);
        if (reopened !== null) return reopened;
      }
      throw new AppError(STORE_UNAVAILABLE, {});
    },

    settle: async (id, at) => {
      const settled = await updateItem(
        table,
        keyOf(id),
        {
          condition:
            'attribute_exists(#place) AND attribute_not_exists(#settledAt) AND #lastAt <= :set_settledAt',
          set: { settledAt: at },
        },
        (stored) => readNumber(stored, 'settledAt', null) === at,
      );
      return settled !== null;
    },

    list: async () => {
      const items = await queryAll(table, {
        ConsistentRead: true,
        KeyConditionExpression: '#scope = :scope',
        values: { ':scope': NOTICES },
      });
      return items.map(toStored);
    },

    hasAny: async () => {
      const { items } = await queryPage(table, {
        KeyConditionExpression: '#scope = :scope',
        values: { ':scope': NOTICES },
        Limit: 1,
      });
      return items.length > 0;
    },

    remove: ({ id, lastAt, count }) =>
      deleteItem(table, keyOf(id), {
        condition: '#lastAt = :lastAt AND #count = :count',
        values: { ':lastAt': lastAt, ':count': count },
      }),

    markSent: async (id, receiver, sent) => {
      await updateItem(table, keyOf(id), {
        condition: 'attribute_exists(#place)',
        compute: { sent: ':sent' },
        names: { '#sent': `${SENT}${receiver}` },
        values: { ':sent': json(sent) },
      });
    },

    findReceiver: (name) => findItem(table, keyOfReceiver(name), toReceiverState),

    putReceiver: (name, { number, sentAt, outgoing }, before) =>
      putItem(
        table,
        keyOfReceiver(name),
        { number, sentAt, outgoing: longJson(outgoing), expiresAt: toSeconds(sentAt + RECEIVER_MS) },
        ifStill('number', before === 0 ? null : before, 'place'),
      ),
  }),
);

const keyOf = (id: string): Attributes => ({ scope: NOTICES, place: id });
const keyOfReceiver = (name: string): Attributes => ({ scope: RECEIVERS, place: name });
const toSeconds = (ms: number): number => Math.ceil(ms / 1_000);

/**
 * Counts a notice in one write.
 * @param settledAt - of the settled notice that it opens again; null to open a new one, or to count an open one
 * @returns null if the notice is in another state, or was counted for this execution last
 */
const count = async (
  table: Table,
  { at, ...notice }: Notice,
  settledAt: number | null,
): Promise<StoredNotice | null> => {
  const { executionId, kind } = notice;
  const isOther = '(attribute_not_exists(#executionId) OR #executionId <> :set_executionId)';
  const updated = await updateItem(
    table,
    keyOf(noticeIdOf(notice)),
    {
      condition: [
        settledAt === null ? 'attribute_not_exists(#settledAt)' : '#settledAt = :settledAt',
        ...(executionId === undefined ? [] : [isOther]),
      ].join(' AND '),
      statesVersion: true,
      set: { ...notice, lastAt: at, expiresAt: toSeconds(at + keptMsOf(kind)) },
      ...(settledAt === null
        ? {
            compute: {
              firstAt: 'if_not_exists(#firstAt, :set_lastAt)',
              count: 'if_not_exists(#count, :zero) + :one',
            },
            values: { ':zero': 0, ':one': 1 },
          }
        : {
            compute: { firstAt: ':set_lastAt', count: ':one' },
            values: { ':one': 1, ':settledAt': settledAt },
            remove: ['settledAt'],
          }),
    },
    executionId === undefined ? null : (stored) => stored.executionId?.S === executionId,
    'ALL_NEW',
  );
  return updated === null ? null : toStored(updated);
};

const isCounted = (found: StoredNotice, { executionId }: Notice): boolean =>
  executionId !== undefined && found.executionId === executionId;

const toReceiverState = (item: Item): ReceiverState => ({
  number: readNumber(item, 'number'),
  sentAt: readNumber(item, 'sentAt'),
  outgoing: readLongJson<OutgoingMessage | null>(item, 'outgoing', null),
});

const toStored = (item: Item): StoredNotice => ({
  id: readText(item, 'place'),
  kind: readText(item, 'kind') as Notice['kind'],
  subject: readText(item, 'subject'),
  cause: readText(item, 'cause'),
  message: readText(item, 'message'),
  count: readNumber(item, 'count'),
  firstAt: readNumber(item, 'firstAt'),
  lastAt: readNumber(item, 'lastAt'),
  settledAt: readNumber(item, 'settledAt', null),
  ...(item.executionId?.S === undefined ? {} : { executionId: item.executionId.S }),
  ...(item.nodeId?.S === undefined ? {} : { nodeId: item.nodeId.S }),
  sent: Object.fromEntries(
    Object.keys(item)
      .filter((name) => name.startsWith(SENT))
      .map((name) => [name.slice(SENT.length), readJson<Sent>(item, name)]),
  ),
});
