import type { Credential, CredentialSecret, CredentialStore } from '../../credentials/credential.ts';
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
import { getItem, putItem, sameAs } from './items.ts';
import { scanAll } from './scan-all.ts';
import type { TableNames } from './table-names.ts';

/** One item per credential; every change is conditional on the previous revision. */
export const createCredentialStore = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'credentials'>,
): CredentialStore => ({
  find: async (credentialId) => {
    const Key = { credentialId: text(credentialId) };
    const item = await getItem(client, { TableName: tables.credentials, Key });
    return item === null || !isInbound(item) ? null : toCredential(item);
  },

  put: async (credential) => {
    const condition = ifRevision(credential.revision, 'attribute_not_exists(secretReference)');
    const Key = { credentialId: text(credential.id) };
    const Item = toItem(credential);
    if (!(await putItem(client, { TableName: tables.credentials, Key, Item, ...condition }, sameAs(Item))))
      throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
  },

  list: async () => {
    const items = await scanAll(client, { TableName: tables.credentials });
    return items
      .filter(isInbound)
      .map(toCredential)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  },
});

/**
 * The condition of a write: the item has the previous revision, or does not exist.
 * @param isKind - the condition that the item is the same kind of credential
 */
export const ifRevision = (revision: number, isKind: string) =>
  revision === 1
    ? { ConditionExpression: 'attribute_not_exists(credentialId)' }
    : {
        ConditionExpression: `revision = :before AND ${isKind}`,
        ExpressionAttributeValues: { ':before': number(revision - 1) },
      };

/** Whether an item is an inbound credential. */
const isInbound = (item: Item): boolean => item.secretReference === undefined;

const toItem = ({ id, type, username, secrets, revision }: Credential): Item =>
  compact({
    credentialId: text(id),
    type: text(type),
    username: optional(username, text),
    secrets: json(secrets),
    revision: number(revision),
  });

const toCredential = (item: Item): Credential => ({
  id: readText(item, 'credentialId'),
  type: readText(item, 'type') as Credential['type'],
  username: item.username?.S ?? null,
  secrets: readJson<CredentialSecret[]>(item, 'secrets'),
  revision: readNumber(item, 'revision'),
});
