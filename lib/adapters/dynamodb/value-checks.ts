import { createHash } from 'node:crypto';
import type { ValueCheck, ValueChecks } from '../../state/large-values.ts';
import { type Item, readNumber, readText } from './attributes.ts';
import { deleteItem, onTable, putItem, queryPages } from './items.ts';

/** So that writers of large values spread. */
const PARTITIONS = 8;
const PAGE_SIZE = 100;

/** Checks of large values: items beside the entries, in partitions of their own, sorted by the time when they are due. */
export const createValueChecks = onTable(
  'state',
  (table): ValueChecks => ({
    add: async (check) => {
      const { scope, key, unusedSince } = check;
      const attributes = { entryScope: scope, entryKey: key, unusedSince };
      await putItem(table, keyOfCheck(check), attributes);
    },

    remove: async (check) => {
      await deleteItem(table, keyOfCheck(check));
    },

    findDue: async function* (now) {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const pages = queryPages(table, {
          KeyConditionExpression: '#scope = :scope AND place < :until',
          values: { ':scope': `${SCOPE}${partition}`, ':until': toCheckPlace(now + 1, '') },
          Limit: PAGE_SIZE,
        });
        for await (const { items } of pages) yield* items.map(toCheck);
      }
    },
  }),
);

const SCOPE = 'value-checks:';

const keyOfCheck = ({ blob, dueAt }: ValueCheck) => {
  const partition = (createHash('sha256').update(blob).digest()[0] ?? 0) % PARTITIONS;
  return { scope: `${SCOPE}${partition}`, place: toCheckPlace(dueAt, blob) };
};

/** ISO 8601 is as long for every time, so that places sort by it. */
const toCheckPlace = (ms: number, blob: string): string => `${new Date(ms).toISOString()} ${blob}`;

const toCheck = (item: Item): ValueCheck => {
  const [time = '', blob = ''] = readText(item, 'place').split(' ');
  return {
    blob,
    scope: readText(item, 'entryScope'),
    key: readText(item, 'entryKey'),
    dueAt: Date.parse(time),
    unusedSince: readNumber(item, 'unusedSince', null),
  };
};
