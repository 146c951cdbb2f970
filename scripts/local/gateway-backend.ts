import { connect } from '../../cli/target.ts';
import { openDataFolder } from './data-folder.ts';
import { startEmbeddedDynamoDb } from './embedded-dynamodb.ts';
import { startEngine } from './engine/start-engine.ts';
import { claimPort, findFreePort } from './ports.ts';
import { type SeededSample, seedSamples } from './seed.ts';
import { ordersApiKey, removeServiceInfo, sampleWorkflowsFolder, writeServiceInfo } from './state-folder.ts';
import { watchWorkflows } from './watch-workflows.ts';

export interface GatewayBackend {
  readonly port: number;
  readonly lambdaPort: number;
  /** Prints where the service is and what to try. */
  announce(): void;
  stop(): Promise<void>;
}

/**
 * What stands behind the local gateway: the embedded DynamoDB with its tables, the engine for background runs, the
 * samples, kept up to date.
 */
export const startGatewayBackend = async (settings: {
  readonly tablePrefix: string;
  readonly port: unknown;
  /** Where everything is kept; in memory, or gone at the end, when absent. */
  readonly dataFolder: string | undefined;
  /** The environment of the functions; gets what they need to find everything. */
  readonly environment: Record<string, string>;
}): Promise<GatewayBackend> => {
  const { tablePrefix, environment } = settings;
  const port = await claimPort(settings.port);
  const data = await openDataFolder(settings.dataFolder);
  process.once('exit', data.release);
  const database = await startEmbeddedDynamoDb(tablePrefix, data.tables);
  const baseUrl = `http://localhost:${port}`;
  Object.assign(environment, localEnvironment(tablePrefix, database.endpoint, data.blobs), {
    PUBLIC_URL: baseUrl,
  });
  // The processes of background runs are the engine's: they get the same, and tell the person at the terminal more.
  const runEnvironment = { ...environment, TABLE_PREFIX: tablePrefix, PRINT_CALLBACKS: '1' };
  const engine = await startEngine(database.endpoint, tablePrefix, runEnvironment, (line) =>
    console.log(line),
  );
  environment.AWS_ENDPOINT_URL_LAMBDA = engine.endpoint;

  const stores = connect({
    dynamodbEndpoint: database.endpoint,
    engineEndpoint: engine.endpoint,
    tablePrefix,
  });
  const apiKey = ordersApiKey();
  const samples = await seedSamples(stores, apiKey);
  const watcher = watchWorkflows(sampleWorkflowsFolder, stores);

  writeServiceInfo({
    pid: process.pid,
    baseUrl,
    dynamodbEndpoint: database.endpoint,
    engineEndpoint: engine.endpoint,
    blobFolder: data.blobs,
    tablePrefix,
  });
  process.once('exit', removeServiceInfo);

  return {
    port,
    lambdaPort: await findFreePort(),
    announce: () => process.stdout.write(announcement(baseUrl, apiKey, samples)),
    stop: async () => {
      watcher.close();
      stores.close();
      await engine.stop();
      await database.stop();
    },
  };
};

/** What of AWS the functions find on this machine. Signatures are made, and nobody looks at them. */
export const localEnvironment = (tablePrefix: string, dynamodbEndpoint: string, blobFolder: string) => ({
  DYNAMODB_ENDPOINT: dynamodbEndpoint,
  WORKFLOW_CACHE_SECONDS: '0', // what is edited counts from the next request on
  BLOB_BUCKET: '',
  BLOB_FOLDER: blobFolder,
  EVENT_BUS: '', // the end of executions is told to the log
  RUN_DURABLE_FUNCTION: `${tablePrefix}-runDurable:durable`,
  RUN_EXPRESS_FUNCTION: `${tablePrefix}-runExpress`,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});

const announcement = (baseUrl: string, apiKey: string, samples: readonly SeededSample[]): string => {
  const names = samples.map(({ id }) => id).join(', ');
  const others = samples
    .filter(({ isOther }) => isOther)
    .map(({ id }) => `\nThe stored version of ${id} differs from its file in workflows/, and stays.`)
    .join('');
  return `
Hookloom is up at ${baseUrl}, with the workflows ${names}. Paste these into another terminal:

  curl -s ${baseUrl}/api/webhook/hello/webhook -H 'content-type: application/json' -d '{"name":"Ada"}'
  curl -s ${baseUrl}/api/webhook/orders/orders -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d '{"id":"A-1","total":120}'
  curl -s ${baseUrl}/api/webhook/approval/approval -H 'content-type: application/json' -d '{"what":"The party"}'
  curl -s ${baseUrl}/api/admin/plugins/health
  npm run -s cli -- execution list
${others}
Edit workflows/*.json and the next request runs it; edited code takes a second. Ctrl+C ends it.
`;
};
