import { startEmbeddedDynamoDb } from '../../../local/database/embedded-dynamodb.ts';
import { type Metered, startMeteredDynamoDb } from '../../../tests/support/a-metered-dynamodb.ts';
import { tablePrefix } from '../bench-service.ts';

/** What DynamoDB bills. */
export type Units = Metered;

/** An embedded DynamoDB that counts units. */
export const startCountingDatabase = async () => {
  const database = await startEmbeddedDynamoDb(tablePrefix);
  const meter = await startMeteredDynamoDb(database.endpoint, tablePrefix);
  return {
    /** Counts. */
    endpoint: meter.endpoint,
    /** Does not count. */
    uncountedEndpoint: database.endpoint,
    /** Returns what was counted, and starts at zero again. */
    take: meter.take,
    stop: async () => {
      await meter.stop();
      await database.stop();
    },
  };
};
