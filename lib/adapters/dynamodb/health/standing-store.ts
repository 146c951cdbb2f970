import type { Standing, StandingStore } from '../../../health/standing-store.ts';
import { longJson, readLongJson } from '../attributes.ts';
import { getItem, onTable, putItem } from '../items.ts';

/** Among the settings of the stage. */
const KEY = { name: 'standing' };

const NOTHING: Standing = { silences: [], historyReadAt: 0 };

/** One item, which a single sweep writes at a time. */
export const createStandingStore = onTable(
  'settings',
  (table): StandingStore => ({
    find: async () => {
      const item = await getItem(table, KEY);
      return item === null ? NOTHING : readLongJson<Standing>(item, 'content', NOTHING);
    },
    put: async (standing) => void (await putItem(table, KEY, { content: longJson(standing) })),
  }),
);
