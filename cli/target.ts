import { createSdk } from '../lib/adapters/dynamodb/sdk-client.ts';
import { lateHttpClient } from '../lib/adapters/http-client/late-http-client.ts';
import { lateTcpClient } from '../lib/adapters/tcp-client/late-tcp-client.ts';
import { openCredentialParts } from '../lib/app/compose/open-credentials.chunk.ts';
import { openCommandRequests } from '../lib/app/compose/requests.ts';
import { openRegistrar } from '../lib/app/compose/triggers.ts';
import { readConfig } from '../lib/app/config.ts';
import type { CallbackIndex } from '../lib/callbacks/callback-index.ts';
import type { CredentialStore } from '../lib/credentials/credential.ts';
import type { OutboundCredentialParts } from '../lib/credentials/outbound/outbound-credentials.ts';
import type { DeliveryStore } from '../lib/deliveries/delivery-store.ts';
import type { HeldQueues, NudgeQueue } from '../lib/executions/held/held-queues.ts';
import type { Dispatcher } from '../lib/executions/lifecycle/dispatch-execution.ts';
import type { DurableService } from '../lib/executions/lifecycle/durable-service.ts';
import type { ExecutionStore } from '../lib/executions/record/execution-store.ts';
import type { StoredWorkflows } from '../lib/health/stored-facts.ts';
import type { RegistrarParts } from '../lib/registrations/registrar.ts';
import type { RequestStore } from '../lib/webhooks/requests/request-store.ts';
import type { SendAgainParts } from '../lib/webhooks/requests/send-again.ts';
import type { WorkflowStore } from '../lib/workflows/definition/workflow-store.ts';
import { type AdminApi, createAdminApi, createSendToApi } from './admin-api.ts';
import { CommandError, EXIT } from './command-error.ts';
import { type DoctorParts, openDoctor } from './doctor/open-doctor.ts';
import { findApiUrl } from './find-api-url.ts';
import { readServiceInfo } from './local/local-service.ts';
import { openCommands } from './open-commands.ts';
import { loadCredentialTypes } from './plugins/node-types.ts';

/** The parts of a running service that commands read and change. */
export interface Target {
  readonly api: AdminApi;
  readonly workflows: WorkflowStore;
  readonly credentials: CredentialStore;
  /** The parts that manage outbound credentials. */
  readonly outbound: OutboundCredentialParts;
  readonly executions: ExecutionStore;
  /** Registers the triggers of workflows. */
  readonly registrar: RegistrarParts;
  readonly deliveries: DeliveryStore;
  readonly requests: RequestStore;
  /** Parses and evaluates requests that are sent again. */
  readonly judging: Pick<
    SendAgainParts,
    'openFeatures' | 'parseJson' | 'limitJson' | 'parseXml' | 'maxDepth'
  >;
  readonly callbacks: CallbackIndex;
  /** Includes removed workflows, whose executions still exist. */
  readonly holdsUnlisted: () => Promise<boolean>;
  /** Whether a workflow exists or existed: executions of removed ones are still stored. */
  readonly hasWorkflow: (id: string) => Promise<boolean>;
  /** The current versions of all workflows. */
  readonly listDefinitions: () => Promise<StoredWorkflows>;
  /** Starts executions in the background. */
  readonly dispatcher: Dispatcher;
  readonly durableService: DurableService;
  /** Finds the queues of held executions. */
  readonly queues: Pick<HeldQueues, 'find'>;
  readonly nudgeQueue: NudgeQueue;
  /** Has the service run a credential's live test; returns its admin API's response. */
  readonly testCredential: (id: string) => Promise<{ readonly statusCode: number; readonly body: string }>;
  readonly doctor: DoctorParts;
  /** The sweeper publishes and reports what commands finish. */
  readonly usesOutbox: true;
  /** All stored data: whether this release can read it, and its migration. */
  readonly storedData: ReturnType<typeof openCommands>['storedData'];
  /** Prefix of the tables' names: `SERVICE-STAGE`. */
  readonly tablePrefix: string;
  /** URL of the service; null for a deployed stage, whose URL is unknown here. */
  readonly baseUrl: string | null;
  close(): void;
}

/** The options of a command line that name its target. */
interface TargetOptions {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
  /** A profile of the AWS configuration. */
  readonly profile?: string | undefined;
  /** The origin of the API; for a stage, otherwise found by its stack. */
  readonly url?: string | undefined;
}

export type OpenTarget = (options: TargetOptions) => Target | Promise<Target>;

/**
 * Connects to the named stage with the AWS credentials of the environment, or to the local service if none is named.
 *
 * @throws CommandError when no local service is up, or a stage has no region
 */
export const openTarget = async ({ stage, region, profile, url }: TargetOptions): Promise<Target> => {
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
  if (stage !== undefined) {
    process.env.AWS_REGION = region ?? (await findRegion()); // of all clients, with and without the SDK
    return connect({ tablePrefix: `hookloom-${stage}`, ...(url === undefined ? {} : { apiUrl: url }) });
  }
  const service = readServiceInfo();
  if (service === null) {
    throw new CommandError(
      'No local service is running. Start it with `npm start`, or name a deployed stage: --stage NAME',
    );
  }
  return connect(service);
};

/** Finds the region as the SDK does: in the environment, then in the profile. */
const findRegion = async (): Promise<string> => {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  if (region !== undefined && region !== '') return region;
  const sdk = createSdk();
  try {
    return await sdk.config.region();
  } catch {
    throw new CommandError(
      "No AWS region: name the stage's region with --region NAME, or set AWS_REGION.",
      EXIT.usage,
    );
  } finally {
    sdk.destroy();
  }
};

interface Connection {
  /** Prefix of the names of tables and functions: `SERVICE-STAGE`. */
  readonly tablePrefix: string;
  /** URL of a DynamoDB on this machine; AWS's own when absent. */
  readonly dynamodbEndpoint?: string;
  readonly engineEndpoint?: string;
  readonly secretsFolder?: string;
  readonly sourcesEndpoint?: string;
  readonly blobFolder?: string;
  readonly baseUrl?: string;
  /** Origin of a stage's API; found by its stack if absent. */
  readonly apiUrl?: string;
}

export const connect = ({
  tablePrefix,
  dynamodbEndpoint,
  engineEndpoint,
  secretsFolder,
  sourcesEndpoint,
  blobFolder,
  baseUrl,
  apiUrl,
}: Connection): Target => {
  const { AWS_REGION, RETENTION_DAYS } = process.env;
  const config = readConfig({
    AWS_REGION,
    RETENTION_DAYS, // for executions that a command starts; others have it in their records
    TABLE_PREFIX: tablePrefix,
    DYNAMODB_ENDPOINT: dynamodbEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: engineEndpoint,
    SECRETS_FOLDER: secretsFolder,
    SOURCES_ENDPOINT: sourcesEndpoint,
    BLOB_FOLDER: blobFolder,
    RUN_DURABLE_FUNCTION: `${tablePrefix}-runDurable:durable`,
    RUN_EXPRESS_FUNCTION: `${tablePrefix}-runExpress`,
    SWEEP_FUNCTION: `${tablePrefix}-sweep`,
  });
  const { readCredentials, client, tables, logger, ...parts } = openCommands(config);
  const http = lateHttpClient(config.outboundAllow);
  const tcp = lateTcpClient(config.outboundAllow);
  const findType = async (type: string) => (await loadCredentialTypes()).get(type) ?? null;
  const aws = { region: config.region, readCredentials };
  const findUrl = async () => baseUrl ?? apiUrl ?? (await findApiUrl(tablePrefix, aws));
  return {
    ...parts,
    api: createAdminApi(createSendToApi({ findUrl, signing: baseUrl === undefined ? aws : null })),
    outbound: openCredentialParts(config, { client, tables, http, tcp, findType }, readCredentials),
    registrar: openRegistrar(config, { client, tables, logger, readCredentials }),
    ...openCommandRequests(config, { client, tables, executions: parts.executions }),
    doctor: openDoctor(config, { client, tables, readCredentials }),
    tablePrefix,
    usesOutbox: true,
    baseUrl: baseUrl ?? null,
  };
};
