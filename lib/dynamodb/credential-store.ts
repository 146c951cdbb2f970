import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Credential, CredentialSecret } from '../credentials/credential.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { AppError } from '../errors.ts';
import { type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';
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
    const credentials: Credential[] = [];
    let from: ScanCommandOutput['LastEvaluatedKey'];
    do {
      const page: ScanCommandOutput = await fromStore(
        client.send(
          new ScanCommand({
            TableName: tables.credentials,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        ),
      );
      credentials.push(...(page.Items ?? []).map(toCredential));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return credentials.sort((a, b) => (a.id < b.id ? -1 : 1));
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
