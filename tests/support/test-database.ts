import { afterEach } from '@jest/globals';
import { createDynamoDbClient } from '../../lib/adapters/dynamodb/client.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { startEmbeddedDynamoDb } from '../../local/database/embedded-dynamodb.ts';

/** Gives every caller an empty DynamoDB of its own, with the tables of serverless.yml; gone after the test. */
export const useTestDatabases = () => {
  const cleanups: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  return async () => {
    const database = await startEmbeddedDynamoDb('test');
    const client = createDynamoDbClient(database.endpoint);
    cleanups.push(async () => {
      client.destroy();
      await database.stop();
    });
    return { client, tables: tableNames('test'), endpoint: database.endpoint };
  };
};
