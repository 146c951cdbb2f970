import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListTablesCommand,
  type TableDescription,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import {
  AT_ONCE,
  createClient,
  type EmbeddedDatabase,
  ensureTable,
  type OnChange,
  StartError,
  TABLE_WAITING,
  watchChanges,
  withStore,
} from 'lambda-stage/database';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';
import { createSdkClient } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import {
  checkStoredData,
  createListIndexes,
} from '../../../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import { noteStageVersions } from '../../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import { syncWrites } from './sync-writes.ts';
import { addIndexes, readTableDefinitions } from './tables.ts';

export type EmbeddedDynamoDb = InternalServer & EmbeddedDatabase;

/**
 * A DynamoDB in this process (dynalite) with the tables of serverless.yml.
 *
 * @param folder - where the data is kept; in memory when absent
 * @param watched - receives the changes of these tables, once they are ready
 * @throws StartError for data that this release can't read
 */
export const startEmbeddedDynamoDb = async (
  tablePrefix: string,
  folder?: string,
  watched?: { readonly tables: Iterable<string>; readonly onChange: OnChange },
): Promise<EmbeddedDynamoDb> => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const path = folder === undefined ? {} : { path: folder };
  const [http, store] = withStore(() => dynalite({ ...AT_ONCE, ...path }));
  if (folder !== undefined) syncWrites(store);
  const server = await startInternalServer(http);
  const client = createClient(server.endpoint);
  await removeUnfinishedTables(client);
  try {
    const isNew = folder === undefined || (await checkDataFolder(client, tablePrefix, folder));
    const definitions = readTableDefinitions(tablePrefix);
    if (folder !== undefined) await addIndexes(client, definitions);
    await Promise.all(definitions.map((definition) => ensureTable(client, definition)));
    // Otherwise the first sweep of a service assumes that an earlier release wrote its data.
    if (folder !== undefined || watched !== undefined)
      await noteStageVersions(createSdkClient(client), tableNames(tablePrefix), { isNew });
    if (watched !== undefined) watchChanges(store, watched.tables, watched.onChange);
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    client.destroy();
  }
  return { ...server, store };
};

/**
 * Checks that the data in a folder can be read. Missing tables and indexes are no problem: they are created.
 *
 * @param folder - of the tables, in the data folder
 * @returns whether there are no tables yet
 * @throws StartError
 */
const checkDataFolder = async (
  client: DynamoDBClient,
  tablePrefix: string,
  folder: string,
): Promise<boolean> => {
  const tables = tableNames(tablePrefix);
  const problems = await checkStoredData({
    client: createSdkClient(client),
    tables,
    listIndexes: createListIndexes(client),
  });
  const wrong = problems.filter(({ lacks }) => lacks !== 'table' && lacks !== 'addedIndex');
  if (wrong.length === 0) return problems.length === Object.keys(tables).length;
  throw new StartError(
    [
      `The data folder ${dirname(folder)} can't be used with this release:`,
      ...wrong.map(({ problem }) => `  ${problem}`),
      'Start the release that created it, so that its runs can finish there, or choose another folder: npm start -- --data DIR.',
      'Nothing in the folder was changed. docs/stored-data.md lists what each release can read.',
    ].join('\n'),
  );
};

/**
 * Removes tables whose creation was interrupted by the end of its process: dynalite leaves them `CREATING`, so that
 * they can be neither used nor created. They are empty: a table accepts no items before it is `ACTIVE`.
 * Call it before any table is created.
 */
const removeUnfinishedTables = async (client: DynamoDBClient): Promise<void> => {
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table.TableStatus === 'ACTIVE') continue;
    if (Table.TableStatus === 'CREATING') await activateTable(client, Table);
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, ...TABLE_WAITING }, { TableName });
  }
};

const THROUGHPUT = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };

/** dynalite refuses to delete a table that is `CREATING`, but any update of its throughput makes it `ACTIVE`. */
const activateTable = async (
  client: DynamoDBClient,
  { TableName, GlobalSecondaryIndexes = [] }: TableDescription,
): Promise<void> => {
  const indexUpdates = GlobalSecondaryIndexes.map(({ IndexName }) => ({
    Update: { IndexName, ProvisionedThroughput: THROUGHPUT },
  }));
  await client.send(
    new UpdateTableCommand({
      TableName,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: THROUGHPUT,
      ...(indexUpdates.length === 0 ? {} : { GlobalSecondaryIndexUpdates: indexUpdates }),
    }),
  );
  await waitUntilTableExists({ client, ...TABLE_WAITING }, { TableName });
};
