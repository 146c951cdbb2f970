import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Credential, CredentialSecret } from '../../credentials/credential.ts';
import type { CredentialStore } from '../../credentials/credential-store.ts';
import { AppError } from '../../shared/errors.ts';
import { type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';
import { scanAll } from './scan-all.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

/** One item per credential; every change is conditional on the revision before it. */
export const createCredentialStore = (
  client: DynamoDBClient,
  tables: Pick<TableNames, 'credentials'>,
): CredentialStore => ({
  find: async (credentialId) => {
    const { Item: item } = await fromStore(
      client.send(
        new GetItemCommand({ TableName: tables.credentials, Key: { credentialId: text(credentialId) } }),
      ),
    );
    return item === undefined ? null : toCredential(item);
  },

  put: async (credential) => {
    const condition =
      credential.revision === 1
        ? { ConditionExpression: 'attribute_not_exists(credentialId)' }
        : {
            ConditionExpression: 'revision = :before',
            ExpressionAttributeValues: { ':before': number(credential.revision - 1) },
          };
    const isPut = await isWritten(
      client.send(
        new PutItemCommand({ TableName: tables.credentials, Item: toItem(credential), ...condition }),
      ),
    );
    if (!isPut) throw new AppError('CREDENTIAL_CHANGED', { credentialId: credential.id });
  },

  list: async () => {
    const items = await scanAll(client, { TableName: tables.credentials });
    return items.map(toCredential).sort((a, b) => (a.id < b.id ? -1 : 1));
  },
});

const toItem = ({ id, type, username, secrets, revision }: Credential): Item => ({
  credentialId: text(id),
  type: text(type),
  ...(username === null ? {} : { username: text(username) }),
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
