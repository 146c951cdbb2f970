import { afterEach } from '@jest/globals';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { type Metered, startMeteredDynamoDb } from './a-metered-dynamodb.ts';
import { useTestDatabases } from './test-database.ts';

/** Gives every caller an empty DynamoDB of its own, whose calls and units can be counted. */
export const useMeteredDatabases = () => {
  const openDatabase = useTestDatabases();
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  return async () => {
    const database = await openDatabase();
    const meter = await startMeteredDynamoDb(database.endpoint, 'test');
    cleanups.push(meter.stop);
    return {
      ...database,
      /** The client whose calls are counted. */
      metered: createJsonClient({ region: 'local', endpoint: meter.endpoint }),
      /** The URL through which calls are counted. */
      meteredEndpoint: meter.endpoint,
      /** Counts the calls and units of what is done. */
      count: async (work: () => Promise<unknown>): Promise<Metered> => {
        meter.take();
        await work();
        return meter.take();
      },
    };
  };
};
