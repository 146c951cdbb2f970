import type { CredentialFields } from '@hookloom/plugin-kit';
import type { Credential, CredentialSecret, CredentialStore } from '../../credentials/credential.ts';
import type { CallLimits } from '../../credentials/limits/call-limits.ts';
import type {
  OutboundCredential,
  OutboundCredentialStore,
} from '../../credentials/outbound/outbound-credential.ts';
import { CREDENTIAL_CHANGED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import {
  compact,
  type Item,
  json,
  number,
  optional,
  readJson,
  readNumber,
  readText,
  text,
} from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { deleteItem, getItem, putItem, sameAs, scanAll } from './items.ts';
import type { TableNames } from './table-names.ts';

type Tables = Pick<TableNames, 'credentials'>;

/** How the credentials of one kind are stored. */
interface Kind<Stored> {
  readonly isOutbound: boolean;
  readonly toItem: (credential: Stored) => Item;
  readonly fromItem: (item: Item) => Omit<Stored, 'id' | 'revision'>;
}

/**
 * One item per credential; every change is conditional on the previous revision. Both kinds are in one table, so that
 * an id names only one credential. Outbound ones have the reference of a secret.
 */
const createStore = <Stored extends { readonly id: string; readonly revision: number }>(
  client: DynamoDbClient,
  { credentials: TableName }: Tables,
  { isOutbound, toItem, fromItem }: Kind<Stored>,
) => {
  const isOfKind = (item: Item): boolean => (item.secretReference !== undefined) === isOutbound;
  const toCredential = (item: Item) =>
    ({
      ...fromItem(item),
      id: readText(item, 'credentialId'),
      revision: readNumber(item, 'revision'),
    }) as Stored;

  const exists = isOutbound ? 'attribute_exists' : 'attribute_not_exists';
  /** The condition of a change to this revision. */
  const isCurrent = (revision: number) => ({
    ConditionExpression: `revision = :before AND ${exists}(secretReference)`,
    ExpressionAttributeValues: { ':before': number(revision) },
  });

  const read = async (credentialId: string, ConsistentRead: boolean): Promise<Stored | null> => {
    const item = await getItem(client, {
      TableName,
      Key: { credentialId: text(credentialId) },
      ConsistentRead,
    });
    return item === null || !isOfKind(item) ? null : toCredential(item);
  };

  return {
    find: (credentialId: string) => read(credentialId, false),
    findLatest: (credentialId: string) => read(credentialId, true),

    put: async (credential: Stored): Promise<void> => {
      const { id, revision } = credential;
      const Key = { credentialId: text(id) };
      const Item = compact({ ...Key, ...toItem(credential), revision: number(revision) });
      const condition =
        revision === 1
          ? { ConditionExpression: 'attribute_not_exists(credentialId)' }
          : isCurrent(revision - 1);
      if (!(await putItem(client, { TableName, Key, Item, ...condition }, sameAs(Item))))
        throw new AppError(CREDENTIAL_CHANGED, { credentialId: id });
    },

    remove: ({ id, revision }: Pick<Stored, 'id' | 'revision'>): Promise<boolean> =>
      deleteItem(client, { TableName, Key: { credentialId: text(id) }, ...isCurrent(revision) }),

    list: async (): Promise<Stored[]> => {
      const items = await scanAll(client, { TableName });
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
    toItem: ({ type, username, secrets }) =>
      compact({ type: text(type), username: optional(username, text), secrets: json(secrets) }),
    fromItem: (item) => ({
      type: readText(item, 'type') as Credential['type'],
      username: item.username?.S ?? null,
      secrets: readJson<CredentialSecret[]>(item, 'secrets'),
    }),
  });

/** The credentials that nodes call out with. */
export const createOutboundCredentialStore = (
  client: DynamoDbClient,
  tables: Tables,
): OutboundCredentialStore =>
  createStore<OutboundCredential>(client, tables, {
    isOutbound: true,
    toItem: ({ type, fields, hosts, limits, reference }) =>
      compact({
        type: text(type),
        fields: json(fields),
        hosts: optional(hosts, json),
        limits: optional(limits, json),
        secretReference: text(reference),
      }),
    fromItem: (item) => ({
      type: readText(item, 'type'),
      fields: readJson<CredentialFields>(item, 'fields'),
      hosts: item.hosts === undefined ? null : readJson<string[]>(item, 'hosts'),
      ...(item.limits === undefined ? {} : { limits: readJson<CallLimits>(item, 'limits') }),
      reference: readText(item, 'secretReference'),
    }),
  });
