import { readFileSync } from 'node:fs';
import {
  BatchWriteItemCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  ScanCommand,
  type ScanCommandOutput,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { ensureTable, TABLE_WAITING } from 'lambda-stage/database';
import { parse } from 'yaml';

const SERVERLESS_YML = new URL('../../../serverless.yml', import.meta.url);
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of serverless.yml, not of this file
const PREFIX_VARIABLE = '${self:custom.tablePrefix}';

interface Resource {
  readonly Type: string;
  readonly Properties: CreateTableCommandInput &
    Record<string, unknown> & {
      readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
    };
}

/** The tables of serverless.yml as input of `CreateTable`, with a prefix (without the dash) for their names. */
export const readTableDefinitions = (prefix: string): CreateTableCommandInput[] =>
  Object.values(readResources())
    .filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
    .map(({ Properties }) => ({
      TableName: Properties.TableName?.replace(PREFIX_VARIABLE, prefix),
      BillingMode: Properties.BillingMode,
      AttributeDefinitions: Properties.AttributeDefinitions,
      KeySchema: Properties.KeySchema,
      GlobalSecondaryIndexes: Properties.GlobalSecondaryIndexes,
    }));

/** A table whose items expire. */
export interface ExpiringTable {
  readonly name: string;
  /** The attributes of its key. */
  readonly keys: readonly string[];
  /** The attribute that says when an item expires, in seconds since the epoch. */
  readonly attribute: string;
}

/** The tables of serverless.yml whose items expire, with a prefix as in {@link readTableDefinitions}. */
export const readExpiringTables = (prefix: string): ExpiringTable[] =>
  Object.values(readResources()).flatMap(({ Properties }) => {
    const { TimeToLiveSpecification: ttl, TableName = '', KeySchema = [] } = Properties ?? {};
    if (ttl?.Enabled !== true) return [];
    return {
      name: TableName.replace(PREFIX_VARIABLE, prefix),
      keys: KeySchema.flatMap(({ AttributeName }) => AttributeName ?? []),
      attribute: ttl.AttributeName,
    };
  });

let resources: Readonly<Record<string, Resource>> | undefined;

/** Reads the tables, parsed once, since that takes longer than starting the database. */
const readResources = () => {
  // CloudFormation's tags (!GetAtt …) are not used in tables; elsewhere they may stay unresolved.
  resources ??= parse(readFileSync(SERVERLESS_YML, 'utf8'), { logLevel: 'silent' }).resources.Resources;
  return resources ?? {};
};

/**
 * Adds missing indexes to the tables of a data folder, as CloudFormation does in AWS. dynalite can't add one to a table,
 * so the table is copied, recreated and filled from the copy. After an interruption the next start continues: while the
 * table lacks an index, it is the original; after that, the copy is.
 */
export const addIndexes = async (
  client: DynamoDBClient,
  definitions: readonly CreateTableCommandInput[],
): Promise<void> => {
  for (const definition of definitions) {
    const { TableName = '' } = definition;
    const copy = { ...definition, TableName: `${TableName}-copy` };
    const indexes = await listIndexes(client, TableName);
    const wanted = (definition.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName);
    const isOriginal = indexes !== null && wanted.some((name) => !indexes.includes(name));
    if (isOriginal) {
      await removeTable(client, copy.TableName);
      await ensureTable(client, copy);
      await copyItems(client, TableName, copy.TableName);
      await removeTable(client, TableName);
    }
    if ((await listIndexes(client, copy.TableName)) === null) continue;
    await ensureTable(client, definition);
    await copyItems(client, copy.TableName, TableName);
    await removeTable(client, copy.TableName);
  }
};

/** Lists the indexes of a table; null when there is no such table. */
const listIndexes = async (
  client: DynamoDBClient,
  TableName: string,
): Promise<readonly (string | undefined)[] | null> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
};

const removeTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  if ((await listIndexes(client, TableName)) === null) return;
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, ...TABLE_WAITING }, { TableName });
};

/**
 * Maximum number of items per write:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
 */
const PAGE_SIZE = 25;

const copyItems = async (client: DynamoDBClient, from: string, to: string): Promise<void> => {
  let next: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const { Items = [], LastEvaluatedKey }: ScanCommandOutput = await client.send(
      new ScanCommand({ TableName: from, Limit: PAGE_SIZE, ExclusiveStartKey: next }),
    );
    const RequestItems = { [to]: Items.map((Item) => ({ PutRequest: { Item } })) };
    if (Items.length > 0) {
      const { UnprocessedItems = {} } = await client.send(new BatchWriteItemCommand({ RequestItems }));
      if (Object.keys(UnprocessedItems).length > 0) throw new Error(`items of ${from} were not copied`);
    }
    next = LastEvaluatedKey;
  } while (next !== undefined);
};
