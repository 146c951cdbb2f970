import { afterEach } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
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
    const { endpoint } = database;
    const sdk = createSdk(endpoint);
    cleanups.push(async () => {
      sdk.destroy();
      await database.stop();
    });
    return {
      sdk,
      client: createJsonClient({ region: 'local', endpoint }),
      tables: tableNames('test'),
      endpoint,
    };
  };
};
