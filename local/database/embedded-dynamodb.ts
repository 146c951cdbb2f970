import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { ensureTable } from './ensure-table.ts';
import { readTableDefinitions } from './table-definitions.ts';

export interface EmbeddedDynamoDb {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * A DynamoDB in this process (dynalite) with the tables of serverless.yml.
 * @param folder where it keeps what is in them; in memory, and empty at the start, when absent
 */
export const startEmbeddedDynamoDb = async (
  tablePrefix: string,
  folder?: string,
): Promise<EmbeddedDynamoDb> => {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const server = dynalite({ createTableMs: 0, ...(folder === undefined ? {} : { path: folder }) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref(); // it must not keep a process alive that is otherwise done
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;

  const client = new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await Promise.all(readTableDefinitions(tablePrefix).map((definition) => ensureTable(client, definition)));
  client.destroy();

  return {
    endpoint,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error?: Error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
};
