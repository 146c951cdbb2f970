import { findExpiry, type TokenEnd } from '../../../credentials/outbound/outbound-credential.ts';
import type { ListExpiring, Standing, StandingStore } from '../../../health/standing-store.ts';
import { longJson, readJson, readLongJson, readText } from '../attributes.ts';
import { getItem, onTable, putItem, scanAll } from '../items.ts';
import { createSettingsReader } from '../settings-store.ts';
import type { StageTables } from '../table-names.ts';

/** Among the settings of the stage. */
const KEY = { name: 'standing' };

const NOTHING: Standing = { silences: [], expiries: [], historyReadAt: 0 };

/** One item, which a single sweep writes at a time. */
export const createStandingStore = onTable(
  'settings',
  (table): StandingStore => ({
    find: async () => {
      const item = await getItem(table, KEY);
      return { ...NOTHING, ...(item && readLongJson<Partial<Standing>>(item, 'content', {})) };
    },
    put: async (standing) => void (await putItem(table, KEY, { content: longJson(standing) })),
  }),
);

/** Reads no more of a credential than when it expires: the role that lists them may not. */
export const createListExpiring =
  ({ client, tables }: StageTables): ListExpiring =>
  async () => {
    const credentials = await scanAll(
      { client, TableName: tables.credentials },
      {
        ProjectionExpression: 'credentialId, secretExpiresAt, tokenEnd, #schema',
        FilterExpression: 'attribute_exists(secretExpiresAt) OR attribute_exists(tokenEnd)',
      },
    );
    const { content: variables } = await createSettingsReader(client, tables).find('variables');
    return [
      ...credentials.flatMap((item) => {
        const { S: said } = item.secretExpiresAt ?? {};
        const tokenEnd = readJson<TokenEnd | null>(item, 'tokenEnd', null);
        const expiresAt = findExpiry({ ...(said && { expiresAt: said }), ...(tokenEnd && { tokenEnd }) });
        if (expiresAt === undefined) return [];
        const isToken = said === undefined && { isToken: true as const };
        return { kind: 'credential' as const, id: readText(item, 'credentialId'), expiresAt, ...isToken };
      }),
      ...variables.flatMap(({ name: id, expiresAt }) =>
        expiresAt === undefined ? [] : [{ kind: 'variable' as const, id, expiresAt }],
      ),
    ];
  };
