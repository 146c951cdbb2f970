import {
  EFFECT_LIFE_MS,
  type StateContent,
  type StateEffect,
  type StateEntry,
  type StateStore,
} from '../../state/state-store.ts';
import {
  type Attributes,
  type Item,
  json,
  longJson,
  readJson,
  readLongJson,
  readNumber,
  readText,
  toItem,
} from './attributes.ts';
import { findItem, ifStill, onTable, putItem, queryPage } from './items.ts';

/** Bytes of the values in a page: they are compressed, so that DynamoDB's own limit of a page does not bound them. */
const MAX_PAGE_BYTES = 4_000_000;

/**
 * One item per key, and one for each effect whose entry was overwritten, in a partition of its own, so that they spread. A
 * deletion writes an item as well: no operation removes one, which is left to the time to live.
 */
export const createStateStore = onTable(
  'state',
  (table): StateStore => ({
    find: (scope, key) => findItem(table, { scope, place: key }, toStateEntry),

    put: (entry, replaces) =>
      putItem(
        table,
        { scope: entry.scope, place: entry.key },
        toAttributes(entry),
        ifStill('version', replaces, 'place'),
      ),

    findEffect: (id) => findItem(table, keyOfEffect(id), (item) => readJson<StateEffect>(item, 'effect')),

    keepEffect: async (effect) => {
      const expiresAt = toSeconds(effect.at + EFFECT_LIFE_MS);
      await putItem(table, keyOfEffect(effect.id), { effect: json(effect), expiresAt });
    },

    list: async (scope, { prefix, after, limit, maxBytes = MAX_PAGE_BYTES }) => {
      const page = await queryPage(table, {
        ConsistentRead: true,
        KeyConditionExpression: `#scope = :scope${prefix === '' ? '' : ' AND begins_with(place, :prefix)'}`,
        values: { ':scope': scope, ':prefix': prefix || null },
        Limit: limit,
        ExclusiveStartKey: after === null ? undefined : toItem({ scope, place: after }),
      });
      const entries: StateEntry[] = [];
      let bytes = 0;
      for (const item of page.items) {
        bytes += readNumber(item, 'bytes');
        if (bytes > Math.min(maxBytes, MAX_PAGE_BYTES)) return { entries, next: entries.at(-1)?.key ?? null };
        entries.push(toStateEntry(item));
      }
      return { entries, next: page.next === undefined ? null : readText(page.next, 'place') };
    },
  }),
);

const keyOfEffect = (id: string) => ({ scope: `effect:${id}`, place: '-' });
const toSeconds = (ms: number): number => Math.ceil(ms / 1_000);

const toAttributes = (entry: StateEntry): Attributes => ({
  version: entry.version,
  content: longJson(entry.content),
  bytes: Buffer.byteLength(JSON.stringify(entry.content)),
  writtenAt: entry.writtenAt,
  executionId: entry.writtenBy.executionId,
  caller: entry.writtenBy.caller,
  until: entry.expiresAt,
  effect: json(entry.effect),
  expiresAt: removableAt(entry),
});

/** When DynamoDB may remove an item, in seconds: not before a repeated write would no longer be recognised. */
const removableAt = ({ content, writtenAt, expiresAt, effect }: StateEntry): number | null => {
  const recognised = writtenAt + EFFECT_LIFE_MS;
  if (content.kind === 'deleted') return toSeconds(recognised);
  if (expiresAt === null) return null;
  return toSeconds(effect === null ? expiresAt : Math.max(expiresAt, recognised));
};

const toStateEntry = (item: Item): StateEntry => ({
  scope: readText(item, 'scope'),
  key: readText(item, 'place'),
  version: readNumber(item, 'version'),
  content: readLongJson<StateContent>(item, 'content', { kind: 'deleted' }),
  writtenAt: readNumber(item, 'writtenAt'),
  writtenBy: {
    executionId: item.executionId?.S ?? null,
    caller: item.caller?.S ?? null,
  },
  expiresAt: readNumber(item, 'until', null),
  effect: readJson<StateEffect | null>(item, 'effect', null),
});
