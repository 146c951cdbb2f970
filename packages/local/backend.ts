import { randomUUID } from 'node:crypto';
import type { ProcessPool } from 'lambda-stage/pool';
import { createStreams, type ScheduleClock, type StreamMapping } from 'lambda-stage/sources';
import { createSdk } from '../../lib/adapters/dynamodb/sdk-client.ts';
import type { LocalServiceInfo } from '../cli/local/local-service.ts';
import { openDataFolder } from './database/data-folder.ts';
import { startEmbeddedDynamoDb } from './database/embedded-dynamodb.ts';
import { removeExpired, startExpiry } from './database/expire-items.ts';
import { readExpiringTables } from './database/tables.ts';
import { startEngine } from './engine/start-engine.ts';
import type { LOCAL_VARIABLES, LocalEnvironment } from './functions/local-functions.ts';
import { STAND_IN_ADDRESS } from './samples/stand-in-address.ts';
import { startSources } from './sources/start-sources.ts';
import { startUploadServer } from './uploads/upload-server.ts';

type BackendEndpoints = Omit<LocalServiceInfo, 'pid' | 'baseUrl' | 'tablePrefix'>;

/** The parts of AWS that run on this machine. */
export interface Backend {
  readonly endpoints: BackendEndpoints;
  /** Resumes background runs that a previous backend with the same data left open. */
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB with its tables, the folder for blobs, the engine for background runs, and the trigger
 * sources.
 * @throws StartError when the data folder cannot be used
 */
export const startBackend = async (settings: {
  readonly tablePrefix: string;
  /** Folder of the data; if absent, the data is in memory or removed at the end. */
  readonly dataFolder: string | undefined;
  /** Runs the functions of background runs. */
  readonly pool: Pick<ProcessPool, 'invoke'>;
  /** The functions that receive the changes of tables; absent for none. */
  readonly streams?: readonly StreamMapping[];
  readonly log: (line: string) => void;
  /** By which schedules fire; the machine's if absent. */
  readonly scheduleClock?: ScheduleClock;
}): Promise<Backend> => {
  const { tablePrefix, pool, log } = settings;
  const data = await openDataFolder(settings.dataFolder);
  process.once('exit', data.release);
  const { streams: mappings = [] } = settings;
  const streams = createStreams({
    mappings,
    invoke: (functionKey, event) => pool.invoke({ functionKey, event, requestId: randomUUID() }),
    log,
  });
  const database = await startEmbeddedDynamoDb(tablePrefix, data.tables, {
    tables: new Set(mappings.map(({ table }) => table)),
    onChange: streams.onChange,
  });
  const client = createSdk(database.endpoint);
  const expiring = readExpiringTables(tablePrefix);
  const expiry = startExpiry((now) => removeExpired(client, expiring, now), log);
  const uploads = await startUploadServer({ folder: data.blobs, region: REGION, credentials: KEYS });
  const engine = await startEngine(database, tablePrefix, pool, log);
  const sources = await startSources({
    file: data.sources ?? null,
    pool,
    log,
    clock: settings.scheduleClock,
  });
  return {
    endpoints: {
      dynamodbEndpoint: database.endpoint,
      engineEndpoint: engine.endpoint,
      blobFolder: data.blobs,
      uploadEndpoint: uploads.endpoint,
      secretsFolder: data.secrets,
      sourcesEndpoint: sources.endpoint,
    },
    resume: engine.resume,
    stop: async () => {
      await sources.stop();
      await engine.stop();
      await expiry.stop();
      await streams.stop();
      client.destroy();
      await database.stop();
      await uploads.stop();
      data.release();
      process.off('exit', data.release);
    },
  };
};

const standIn = `${STAND_IN_ADDRESS.host}:${STAND_IN_ADDRESS.port}`;

/** The stand-in that the samples call, also in place of AWS services. */
const standInEnvironment = {
  OUTBOUND_ALLOW: `${standIn},${STAND_IN_ADDRESS.host}:${STAND_IN_ADDRESS.mailPort}`,
  AWS_ENDPOINT_URL_S3: `http://${standIn}/s3`,
  AWS_ENDPOINT_URL_DYNAMODB: `http://${standIn}`,
};

/** Keys with which functions sign their requests to a backend. Only signatures of uploads are verified. */
const REGION = 'us-east-1';
const KEYS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The environment that connects functions to a backend; of the variables in serverless.yml, each function gets only its own. */
export const createLocalEnvironment = (endpoints: BackendEndpoints, baseUrl: string): LocalEnvironment => ({
  fixed: {
    ...({
      DYNAMODB_ENDPOINT: endpoints.dynamodbEndpoint,
      AWS_ENDPOINT_URL_LAMBDA: endpoints.engineEndpoint,
      BLOB_FOLDER: endpoints.blobFolder,
      UPLOAD_ENDPOINT: endpoints.uploadEndpoint,
      SECRETS_FOLDER: endpoints.secretsFolder,
      SOURCES_ENDPOINT: endpoints.sourcesEndpoint,
    } satisfies Partial<Record<(typeof LOCAL_VARIABLES)[number], string>>),
    // Variables in serverless.yml whose values only a deployment knows.
    BLOB_BUCKET: 'local', // BLOB_FOLDER stands in for it
    WORKFLOW_ROLE: '', // nodes call AWS as the SDK finds keys here
    EVENT_BUS: '', // publishes to the log
    // Variables that Lambda sets itself.
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    AWS_SESSION_TOKEN: '', // a token in the environment belongs to other keys
  },
  initial: {
    WORKFLOW_CACHE_SECONDS: '0', // edits apply from the next request
    PUBLIC_URL: baseUrl,
    ...standInEnvironment,
  },
});
