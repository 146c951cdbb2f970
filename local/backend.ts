import { openDataFolder } from './database/data-folder.ts';
import { startEmbeddedDynamoDb } from './database/embedded-dynamodb.ts';
import { startEngine } from './engine/start-engine.ts';
import type { LocalEnvironment } from './functions/local-functions.ts';
import type { ProcessPool } from './pool/process-pool.ts';
import { STAND_IN_ADDRESS } from './samples/stand-in-address.ts';
import { startSources } from './sources/start-sources.ts';

interface BackendEndpoints {
  readonly dynamodbEndpoint: string;
  readonly engineEndpoint: string;
  readonly blobFolder: string;
  readonly secretsFolder: string;
  /** The APIs of what fires triggers. */
  readonly sourcesEndpoint: string;
}

/** The parts of AWS that run on this machine. */
export interface Backend {
  readonly endpoints: BackendEndpoints;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB with its tables, the folder for blobs, the engine for background runs, and what fires
 * triggers.
 * @throws StartError when the data folder cannot be used
 */
export const startBackend = async (settings: {
  readonly tablePrefix: string;
  /** Absent: the data is in memory, or removed at the end. */
  readonly dataFolder: string | undefined;
  /** Runs the functions of background runs. */
  readonly pool: Pick<ProcessPool, 'invoke'>;
  readonly log: (line: string) => void;
}): Promise<Backend> => {
  const { tablePrefix, pool, log } = settings;
  const data = await openDataFolder(settings.dataFolder);
  process.once('exit', data.release);
  const database = await startEmbeddedDynamoDb(tablePrefix, data.tables);
  const engine = await startEngine(database.endpoint, tablePrefix, pool, log);
  const sources = await startSources({ file: data.sources ?? null, pool, log });
  return {
    endpoints: {
      dynamodbEndpoint: database.endpoint,
      engineEndpoint: engine.endpoint,
      blobFolder: data.blobs,
      secretsFolder: data.secrets,
      sourcesEndpoint: sources.endpoint,
    },
    stop: async () => {
      await sources.stop();
      await engine.stop();
      await database.stop();
      data.release();
      process.off('exit', data.release);
    },
  };
};

const standIn = `${STAND_IN_ADDRESS.host}:${STAND_IN_ADDRESS.port}`;

/** What the samples call: the stand-in, for services of AWS as well. */
const standInEnvironment = {
  OUTBOUND_ALLOW: `${standIn},${STAND_IN_ADDRESS.host}:${STAND_IN_ADDRESS.mailPort}`,
  AWS_ENDPOINT_URL_S3: `http://${standIn}/s3`,
  AWS_ENDPOINT_URL_DYNAMODB: `http://${standIn}`,
};

/** The environment that connects functions to a backend. Requests to it are signed, but not verified. */
export const createLocalEnvironment = (
  tablePrefix: string,
  { dynamodbEndpoint, engineEndpoint, blobFolder, secretsFolder, sourcesEndpoint }: BackendEndpoints,
  baseUrl: string,
): LocalEnvironment => ({
  fixed: {
    DYNAMODB_ENDPOINT: dynamodbEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: engineEndpoint,
    BLOB_BUCKET: '',
    BLOB_FOLDER: blobFolder,
    SECRETS_FOLDER: secretsFolder,
    SOURCES_ENDPOINT: sourcesEndpoint,
    WORKFLOW_ROLE: '', // nodes call AWS as the SDK finds keys here
    EVENT_BUS: '', // publishes to the log
    RUN_DURABLE_FUNCTION: `${tablePrefix}-runDurable:durable`,
    RUN_EXPRESS_FUNCTION: `${tablePrefix}-runExpress`,
    SWEEP_FUNCTION: `${tablePrefix}-sweep`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  },
  initial: {
    WORKFLOW_CACHE_SECONDS: '0', // edits count from the next request
    PUBLIC_URL: baseUrl,
    ...standInEnvironment,
  },
});
