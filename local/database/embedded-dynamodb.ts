import { mkdirSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import { ensureTable } from './ensure-table.ts';
import { removeUnfinishedTables } from './remove-unfinished-tables.ts';
import { readTableDefinitions } from './table-definitions.ts';

export type EmbeddedDynamoDb = InternalServer;

const AT_ONCE = { createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 };

/**
 * A DynamoDB in this process (dynalite) with the tables of serverless.yml.
 * @param folder - where the data is kept; in memory when absent
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
  await Promise.all(readTableDefinitions(tablePrefix).map((definition) => ensureTable(client, definition)));
  client.destroy();
  return server;
};
