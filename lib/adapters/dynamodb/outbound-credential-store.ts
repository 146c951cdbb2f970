import type { CredentialFields } from '@hookloom/plugin-kit';
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
import { ifRevision } from './credential-store.ts';
import { deleteItem, getItem, putItem, sameAs } from './items.ts';
import { scanAll } from './scan-all.ts';
import type { TableNames } from './table-names.ts';

/**
 * Items in the same table as inbound credentials, so that an id names only one credential. Outbound ones have the
 * reference of a secret.
 */
export const createOutboundCredentialStore = (
  client: DynamoDbClient,
  { credentials: TableName }: Pick<TableNames, 'credentials'>,
): OutboundCredentialStore => ({
  find: async (credentialId) => {
    const item = await getItem(client, { TableName, Key: { credentialId: text(credentialId) } });
    return item === null || !isOutbound(item) ? null : toCredential(item);
  },

  put: async (credential) => {
    const condition = ifRevision(credential.revision, 'attribute_exists(secretReference)');
    const Key = { credentialId: text(credential.id) };
    const Item = toItem(credential);
    if (!(await putItem(client, { TableName, Key, Item, ...condition }, sameAs(Item))))
      throw new AppError(CREDENTIAL_CHANGED, { credentialId: credential.id });
  },

  remove: (credentialId) =>
    deleteItem(client, {
      TableName,
      Key: { credentialId: text(credentialId) },
      ConditionExpression: 'attribute_exists(secretReference)',
    }),

  list: async () => {
    const items = await scanAll(client, { TableName });
    return items
      .filter(isOutbound)
      .map(toCredential)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  },
});

const isOutbound = (item: Item): boolean => item.secretReference !== undefined;

const toItem = ({ id, type, fields, hosts, reference, revision }: OutboundCredential): Item =>
  compact({
    credentialId: text(id),
    type: text(type),
    fields: json(fields),
    hosts: optional(hosts, json),
    secretReference: text(reference),
    revision: number(revision),
  });

const toCredential = (item: Item): OutboundCredential => ({
  id: readText(item, 'credentialId'),
  type: readText(item, 'type'),
  fields: readJson<CredentialFields>(item, 'fields'),
  hosts: item.hosts === undefined ? null : readJson<string[]>(item, 'hosts'),
  reference: readText(item, 'secretReference'),
  revision: readNumber(item, 'revision'),
});
