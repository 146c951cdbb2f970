import { mkdirSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createSdkClient } from '../../lib/adapters/dynamodb/sdk-client.ts';
import { noteStageVersions } from '../../lib/adapters/dynamodb/stored-data/stage-versions.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import { addIndexes } from './add-indexes.ts';
import { checkDataFolder } from './check-data-folder.ts';
import { ensureTable } from './ensure-table.ts';
import { removeUnfinishedTables } from './remove-unfinished-tables.ts';
import { readTableDefinitions } from './table-definitions.ts';

export type EmbeddedDynamoDb = InternalServer;

const AT_ONCE = { createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 };

/**
 * A DynamoDB in this process (dynalite) with the tables of serverless.yml.
 *
 * @param folder - where the data is kept; in memory when absent
 * @throws StartError for data that this release can't read
 */
export const startEmbeddedDynamoDb = async (
  tablePrefix: string,
  folder?: string,
): Promise<EmbeddedDynamoDb> => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const path = folder === undefined ? {} : { path: folder };
  const server = await startInternalServer(dynalite({ ...AT_ONCE, ...path }));
  const client = new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await removeUnfinishedTables(client);
  try {
    const isNew = folder === undefined || (await checkDataFolder(client, tablePrefix, folder));
    const definitions = readTableDefinitions(tablePrefix);
    if (folder !== undefined) await addIndexes(client, definitions);
    await Promise.all(definitions.map((definition) => ensureTable(client, definition)));
    if (folder !== undefined)
      await noteStageVersions(createSdkClient(client), tableNames(tablePrefix), { isNew });
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    client.destroy();
  }
  return server;
};
