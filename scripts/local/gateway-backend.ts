import { connect } from '../../cli/target.ts';
import { startEmbeddedDynamoDb } from './embedded-dynamodb.ts';
import { claimPort, findFreePort } from './ports.ts';
import { seedSamples } from './seed.ts';
import { ordersApiKey, removeServiceInfo, sampleWorkflowsFolder, writeServiceInfo } from './state-folder.ts';
import { watchWorkflows } from './watch-workflows.ts';

export interface GatewayBackend {
  readonly port: number;
  readonly lambdaPort: number;
  /** Prints where the service is and what to try. */
  announce(): void;
  stop(): Promise<void>;
}

/** What stands behind the local gateway: the embedded DynamoDB with its tables, the samples in it, kept up to date. */
export const startGatewayBackend = async (settings: {
  readonly tablePrefix: string;
  readonly port: unknown;
  /** The environment of the functions; gets what they need to find the store. */
  readonly environment: Record<string, string>;
}): Promise<GatewayBackend> => {
  const { tablePrefix, environment } = settings;
  const port = await claimPort(settings.port);
  const database = await startEmbeddedDynamoDb(tablePrefix);
  environment.DYNAMODB_ENDPOINT = database.endpoint;
  environment.WORKFLOW_CACHE_SECONDS = '0'; // what is edited counts from the next request on

  const stores = connect(database.endpoint, tablePrefix, null);
  const apiKey = ordersApiKey();
  const samples = await seedSamples(stores, apiKey);
  const watcher = watchWorkflows(sampleWorkflowsFolder, stores);

  const baseUrl = `http://localhost:${port}`;
  writeServiceInfo({ pid: process.pid, baseUrl, dynamodbEndpoint: database.endpoint, tablePrefix });
  process.once('exit', removeServiceInfo);

  return {
    port,
    lambdaPort: await findFreePort(),
    announce: () => process.stdout.write(announcement(baseUrl, apiKey, samples)),
    stop: async () => {
      watcher.close();
      stores.close();
      await database.stop();
    },
  };
};

const announcement = (baseUrl: string, apiKey: string, samples: readonly string[]): string => `
Hookloom is up at ${baseUrl}, with the workflows ${samples.join(', ')}. Paste these into another terminal:

  curl -s ${baseUrl}/api/webhook/hello/webhook -H 'content-type: application/json' -d '{"name":"Ada"}'
  curl -s ${baseUrl}/api/webhook/orders/orders -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d '{"id":"A-1","total":120}'
  curl -s ${baseUrl}/api/admin/plugins/health

Edit workflows/*.json and the next request runs it; edited code takes a second. Ctrl+C ends it.
`;
