import { type DataFolder, openDataFolder } from './database/data-folder.ts';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from './database/embedded-dynamodb.ts';
import { type StartedEngine, startEngine } from './engine/start-engine.ts';
import type { LocalEnvironment } from './functions/local-functions.ts';
import type { ProcessPool } from './pool/process-pool.ts';

/** What of AWS there is on this machine. */
export interface Backend {
  readonly dynamodbEndpoint: string;
  readonly engineEndpoint: string;
  readonly blobFolder: string;
  stop(): Promise<void>;
}

/**
 * The embedded DynamoDB with its tables, the folder for blobs, and the engine for background runs.
 * @param settings.dataFolder where everything is kept; in memory, or gone at the end, when absent
 * @param settings.pool where the engine calls functions
 * @throws {StartError} when the folder can't be used
 */
export const startBackend = async (settings: {
  readonly tablePrefix: string;
  readonly dataFolder: string | undefined;
  readonly pool: Pick<ProcessPool, 'invoke'>;
  readonly log: (line: string) => void;
}): Promise<Backend> => {
  const { tablePrefix, pool, log } = settings;
  const data: DataFolder = await openDataFolder(settings.dataFolder);
  process.once('exit', data.release);
  const database: EmbeddedDynamoDb = await startEmbeddedDynamoDb(tablePrefix, data.tables);
  const engine: StartedEngine = await startEngine(database.endpoint, tablePrefix, pool, log);
  return {
    dynamodbEndpoint: database.endpoint,
    engineEndpoint: engine.endpoint,
    blobFolder: data.blobs,
    stop: async () => {
      await engine.stop();
      await database.stop();
      data.release();
      process.off('exit', data.release);
    },
  };
};

/** What the functions find of AWS. Signatures are made, and not checked. */
export const createLocalEnvironment = (
  tablePrefix: string,
  backend: Omit<Backend, 'stop'>,
  baseUrl: string,
): LocalEnvironment => ({
  fixed: {
    DYNAMODB_ENDPOINT: backend.dynamodbEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: backend.engineEndpoint,
    BLOB_BUCKET: '',
    BLOB_FOLDER: backend.blobFolder,
    EVENT_BUS: '', // the end of executions is told to the log
    RUN_DURABLE_FUNCTION: `${tablePrefix}-runDurable:durable`,
    RUN_EXPRESS_FUNCTION: `${tablePrefix}-runExpress`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  },
  initial: {
    WORKFLOW_CACHE_SECONDS: '0', // what is edited counts from the next request on
    PUBLIC_URL: baseUrl,
  },
});
