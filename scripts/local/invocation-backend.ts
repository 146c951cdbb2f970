import { connect } from '../../cli/target.ts';
import { startEmbeddedDynamoDb } from './embedded-dynamodb.ts';
import { seedSamples } from './seed.ts';
import { ordersApiKey, readServiceInfo } from './state-folder.ts';

/**
 * Gives one `serverless invoke local` a store: the one of the local service when that is up, otherwise an
 * embedded one with the samples, for the time of the call.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  readonly environment: Record<string, string | undefined>;
}): Promise<{ stop(): Promise<void> }> => {
  const { tablePrefix, environment } = settings;
  const service = readServiceInfo();
  if (service !== null) {
    environment.DYNAMODB_ENDPOINT = service.dynamodbEndpoint;
    return { stop: async () => {} };
  }

  const database = await startEmbeddedDynamoDb(tablePrefix);
  environment.DYNAMODB_ENDPOINT = database.endpoint;
  const stores = connect(database.endpoint, tablePrefix, null);
  await seedSamples(stores, ordersApiKey());
  stores.close();
  return database;
};
