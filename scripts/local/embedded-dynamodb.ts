import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { readTableDefinitions } from './table-definitions.ts';

export interface EmbeddedDynamoDb {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A DynamoDB in this process's memory (dynalite) with the tables of serverless.yml, empty. */
export const startEmbeddedDynamoDb = async (tablePrefix: string): Promise<EmbeddedDynamoDb> => {
  const server = dynalite({ createTableMs: 0 });
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
  for (const definition of readTableDefinitions(tablePrefix)) {
    await client.send(new CreateTableCommand(definition));
  }
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
