import {
  EFFECT_LIFE_MS,
  type StateContent,
  type StateEffect,
  type StateEntry,
  type StateStore,
} from '../../state/state-store.ts';
import {
  compact,
  type Item,
  json,
  longJson,
  number,
  optional,
  readJson,
  readLongJson,
  readNumber,
  readText,
  text,
} from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { getItem, putItem, queryPage, sameAs } from './items.ts';
import type { TableNames } from './table-names.ts';

/** Bytes of the values in a page: they are compressed, so that DynamoDB's own limit of a page does not bound them. */
const MAX_PAGE_BYTES = 4_000_000;

/**
 * One item per key, and one for each effect whose entry was overwritten, in a partition of its own, so that they spread. A
 * deletion writes an item as well: no operation removes one, which is left to the time to live.
 */
export const createStateStore = (
  client: DynamoDbClient,
  { state: TableName }: Pick<TableNames, 'state'>,
): StateStore => {
  const read = (scope: string, place: string) =>
    getItem(client, { TableName, Key: keyOf(scope, place), ConsistentRead: true });

  return {
    find: async (scope, key) => {
      const item = await read(scope, key);
      return item === null ? null : toEntry(item);
    },

    put: (entry, replaces) => {
      const Key = keyOf(entry.scope, entry.key);
      const Item = toItem(entry);
      const condition =
        replaces === null
          ? { ConditionExpression: 'attribute_not_exists(place)' }
          : {
              ConditionExpression: '#version = :replaces',
              ExpressionAttributeNames: { '#version': 'version' },
              ExpressionAttributeValues: { ':replaces': number(replaces) },
            };
      return putItem(client, { TableName, Key, Item, ...condition }, sameAs(Item));
    },

    findEffect: async (id) => {
      const item = await read(effectScope(id), EFFECT_PLACE);
      return item === null ? null : readJson<StateEffect>(item, 'effect');
    },

    keepEffect: async (effect) => {
      const Key = keyOf(effectScope(effect.id), EFFECT_PLACE);
      const expiresAt = number(toSeconds(effect.at + EFFECT_LIFE_MS));
      await putItem(client, { TableName, Key, Item: { ...Key, effect: json(effect), expiresAt } }, null);
    },

    list: async (scope, { prefix, after, limit, maxBytes = MAX_PAGE_BYTES }) => {
      const page = await queryPage(client, {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: `#scope = :scope${prefix === '' ? '' : ' AND begins_with(place, :prefix)'}`,
        ExpressionAttributeNames: { '#scope': 'scope' },
        ExpressionAttributeValues: {
          ':scope': text(scope),
          ...(prefix === '' ? {} : { ':prefix': text(prefix) }),
        },
        Limit: limit,
        ...(after === null ? {} : { ExclusiveStartKey: keyOf(scope, after) }),
      });
      const entries: StateEntry[] = [];
      let bytes = 0;
      for (const item of page.items) {
        bytes += readNumber(item, 'bytes');
        if (bytes > Math.min(maxBytes, MAX_PAGE_BYTES)) return { entries, next: entries.at(-1)?.key ?? null };
        entries.push(toEntry(item));
      }
      return { entries, next: page.next === undefined ? null : readText(page.next, 'place') };
    },
  };
};

const EFFECT_PLACE = '-';
const effectScope = (id: string): string => `effect:${id}`;
const keyOf = (scope: string, place: string): Item => ({ scope: text(scope), place: text(place) });
const toSeconds = (ms: number): number => Math.ceil(ms / 1_000);

const toItem = (entry: StateEntry): Item => {
  const { scope, key, version, content, writtenAt, writtenBy, expiresAt, effect } = entry;
  return compact({
    ...keyOf(scope, key),
    version: number(version),
    content: longJson(content),
    bytes: number(Buffer.byteLength(JSON.stringify(content))),
    writtenAt: number(writtenAt),
    executionId: optional(writtenBy.executionId, text),
    caller: optional(writtenBy.caller, text),
    until: optional(expiresAt, number),
    effect: optional(effect, json),
    expiresAt: optional(removableAt(entry), number),
  });
};

/** When DynamoDB may remove an item, in seconds: not before a repeated write would no longer be recognised. */
const removableAt = ({
  content,
  writtenAt,
  expiresAt,
  effect,
}: Pick<StateEntry, 'content' | 'writtenAt' | 'expiresAt' | 'effect'>): number | null => {
  const recognised = writtenAt + EFFECT_LIFE_MS;
  if (content.kind === 'deleted') return toSeconds(recognised);
  if (expiresAt === null) return null;
  return toSeconds(effect === null ? expiresAt : Math.max(expiresAt, recognised));
};

const toEntry = (item: Item): StateEntry => ({
  scope: readText(item, 'scope'),
  key: readText(item, 'place'),
  version: readNumber(item, 'version'),
  content: readLongJson<StateContent>(item, 'content', { kind: 'deleted' }),
  writtenAt: readNumber(item, 'writtenAt'),
  writtenBy: {
    executionId: item.executionId === undefined ? null : readText(item, 'executionId'),
    caller: item.caller === undefined ? null : readText(item, 'caller'),
  },
  expiresAt: item.until === undefined ? null : readNumber(item, 'until'),
  effect: item.effect === undefined ? null : readJson<StateEffect>(item, 'effect'),
});
