import type { CredentialFields } from '@hookloom/plugin-kit';
import type { Credential, CredentialSecret, CredentialStore } from '../../credentials/credential.ts';
import type { CallLimits } from '../../credentials/limits/call-limits.ts';
import type {
  OutboundCredential,
  OutboundCredentialStore,
  TokenEnd,
} from '../../credentials/outbound/outbound-credential.ts';
import { CREDENTIAL_CHANGED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type Attributes, type Item, json, readJson, readNumber, readText } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { deleteItem, getItem, putItem, scanAll, updateItem } from './items.ts';
import type { TableNames } from './table-names.ts';

type Tables = Pick<TableNames, 'credentials'>;

interface Kind<Stored> {
  readonly isOutbound: boolean;
  readonly toAttributes: (credential: Stored) => Attributes;
  readonly fromItem: (item: Item) => Omit<Stored, 'id' | 'revision'>;
}

/**
 * One item per credential; every change is conditional on the previous revision. Both kinds are in one table, so that
 * an id names only one credential. Outbound ones have the reference of a secret.
 */
const createStore = <Stored extends { readonly id: string; readonly revision: number }>(
  client: DynamoDbClient,
  { credentials: TableName }: Tables,
  { isOutbound, toAttributes, fromItem }: Kind<Stored>,
) => {
  const table = { client, TableName };
  const isOfKind = (item: Item): boolean => (item.secretReference !== undefined) === isOutbound;
  const toCredential = (item: Item) =>
    ({
      ...fromItem(item),
      id: readText(item, 'credentialId'),
      revision: readNumber(item, 'revision'),
    }) as Stored;

  const exists = isOutbound ? 'attribute_exists' : 'attribute_not_exists';
  const isCurrent = (revision: number) => ({
    condition: `revision = :before AND ${exists}(secretReference)`,
    values: { ':before': revision },
  });

  const read = async (credentialId: string, isConsistent: boolean): Promise<Stored | null> => {
    const item = await getItem(table, { credentialId }, isConsistent);
    return item === null || !isOfKind(item) ? null : toCredential(item);
  };

  return {
    find: (credentialId: string) => read(credentialId, false),
    findLatest: (credentialId: string) => read(credentialId, true),

    put: async (credential: Stored): Promise<void> => {
      const { id: credentialId, revision } = credential;
      const isExpected =
        revision === 1 ? { condition: 'attribute_not_exists(credentialId)' } : isCurrent(revision - 1);
      const attributes = { ...toAttributes(credential), revision };
      if (!(await putItem(table, { credentialId }, attributes, isExpected)))
        throw new AppError(CREDENTIAL_CHANGED, { credentialId });
    },

    remove: ({ id, revision }: Pick<Stored, 'id' | 'revision'>): Promise<boolean> =>
      deleteItem(table, { credentialId: id }, isCurrent(revision)),

    list: async (): Promise<Stored[]> => {
      const items = await scanAll(table);
      return items
        .filter(isOfKind)
        .map(toCredential)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
};

/** The credentials that callers of webhooks present. */
export const createCredentialStore = (client: DynamoDbClient, tables: Tables): CredentialStore =>
  createStore<Credential>(client, tables, {
    isOutbound: false,
    toAttributes: ({ type, username, secrets, expiresAt }) => ({
      type,
      username,
      secrets: json(secrets),
      secretExpiresAt: expiresAt,
    }),
    fromItem: (item) => ({
      type: readText(item, 'type') as Credential['type'],
      username: item.username?.S ?? null,
      secrets: readJson<CredentialSecret[]>(item, 'secrets'),
      ...readExpiry(item),
    }),
  });

/** The credentials that nodes call out with. */
export const createOutboundCredentialStore = (
  client: DynamoDbClient,
  tables: Tables,
): OutboundCredentialStore => ({
  ...createStore<OutboundCredential>(client, tables, {
    isOutbound: true,
    toAttributes: ({ type, fields, hosts, limits, expiresAt, tokenEnd, reference }) => ({
      type,
      fields: json(fields),
      hosts: json(hosts),
      limits: json(limits),
      secretExpiresAt: expiresAt,
      tokenEnd: json(tokenEnd),
      secretReference: reference,
    }),
    fromItem: (item) => ({
      type: readText(item, 'type'),
      fields: readJson<CredentialFields>(item, 'fields'),
      hosts: readJson<string[] | null>(item, 'hosts', null),
      ...(item.limits === undefined ? {} : { limits: readJson<CallLimits>(item, 'limits') }),
      ...readExpiry(item),
      ...(item.tokenEnd === undefined ? {} : { tokenEnd: readJson<TokenEnd>(item, 'tokenEnd') }),
      reference: readText(item, 'secretReference'),
    }),
  }),
  // Runs may change no other attribute.
  noteTokenEnd: async (credentialId, end) => {
    const change = end === null ? { remove: ['tokenEnd'] } : { set: { tokenEnd: json(end) } };
    const condition = 'attribute_exists(credentialId)';
    await updateItem({ client, TableName: tables.credentials }, { credentialId }, { condition, ...change });
  },
});

/** Not named as the attribute by which other tables remove their items. */
const readExpiry = ({ secretExpiresAt: at }: Item) => (at?.S === undefined ? {} : { expiresAt: at.S });
