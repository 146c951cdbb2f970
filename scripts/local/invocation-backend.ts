import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../cli/target.ts';
import { startEmbeddedDynamoDb } from './embedded-dynamodb.ts';
import { startEngine } from './engine/start-engine.ts';
import { localEnvironment } from './gateway-backend.ts';
import { seedSamples } from './seed.ts';
import { ordersApiKey, readServiceInfo } from './state-folder.ts';

/**
 * Gives one `serverless invoke local` what it needs of AWS: that of the local service when it is up, otherwise an
 * embedded store with the samples and an engine, for the time of the call.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  readonly environment: Record<string, string | undefined>;
}): Promise<{ stop(): Promise<void> }> => {
  const { tablePrefix, environment } = settings;
  const service = readServiceInfo();
  if (service !== null) {
    Object.assign(environment, localEnvironment(tablePrefix, service.dynamodbEndpoint, service.blobFolder), {
      AWS_ENDPOINT_URL_LAMBDA: service.engineEndpoint,
      PUBLIC_URL: service.baseUrl,
    });
    return { stop: async () => {} };
  }

  const database = await startEmbeddedDynamoDb(tablePrefix);
  const blobs = mkdtempSync(join(tmpdir(), 'hookloom-'));
  Object.assign(environment, localEnvironment(tablePrefix, database.endpoint, blobs), {
    PUBLIC_URL: 'http://localhost:3000',
  });
  const engine = await startEngine(database.endpoint, tablePrefix, environment, (line) =>
    console.error(line),
  );
  const stores = connect({
    dynamodbEndpoint: database.endpoint,
    engineEndpoint: engine.endpoint,
    tablePrefix,
  });
  await seedSamples(stores, ordersApiKey());
  stores.close();
  return {
    stop: async () => {
      await engine.stop();
      await database.stop();
      rmSync(blobs, { recursive: true, force: true });
    },
  };
};
