import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ExecutionInfo, type HttpClient, type Logger, lazy, type TcpClient } from '@hookloom/plugin-kit';
import { type AwsCallerOptions, createAwsCaller } from '../adapters/aws/aws-caller.ts';
import { createLambdaCredentialTest } from '../adapters/aws/lambda-credential-test.ts';
import { createLambdaDispatcher } from '../adapters/aws/lambda-dispatcher.ts';
import { createLambdaDurableService } from '../adapters/aws/lambda-durable-service.ts';
import { createLambdaNudge } from '../adapters/aws/lambda-nudge.ts';
import { lateAwsClient } from '../adapters/aws-sdk/late-aws-client.ts';
import { cacheBlobs } from '../adapters/blobs/cache-blobs.ts';
import { createFolderBlobStore } from '../adapters/blobs/folder-blob-store.ts';
import { createS3BlobStore } from '../adapters/blobs/s3-blob-store.ts';
import { createLambdaCheckpointClient } from '../adapters/durable/lambda-checkpoint-client.ts';
import { createCallbackIndex } from '../adapters/dynamodb/callbacks/callback-index.ts';
import type { DynamoDbClient } from '../adapters/dynamodb/client.ts';
import { createCredentialStore } from '../adapters/dynamodb/credential-store.ts';
import { createDeliveryStore } from '../adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../adapters/dynamodb/executions/execution-store.ts';
import { createListDefinitions } from '../adapters/dynamodb/health/workflow-definitions.ts';
import { createHeldQueues } from '../adapters/dynamodb/held/held-queues.ts';
import { createJsonClient } from '../adapters/dynamodb/json-client.ts';
import { createSlotStore } from '../adapters/dynamodb/limits/slot-store.ts';
import { createSdk, createSdkClient } from '../adapters/dynamodb/sdk-client.ts';
import { createListIndexes } from '../adapters/dynamodb/stored-data/check-stored-data.ts';
import { type MigrationParts, migrateStoredData } from '../adapters/dynamodb/stored-data/migrate.ts';
import {
  createHoldsUnlisted,
  findVersionProblem,
  noteStageVersions,
  readStageVersions,
} from '../adapters/dynamodb/stored-data/stage-versions.ts';
import { type TableNames, tableNames } from '../adapters/dynamodb/table-names.ts';
import { createWorkflowReader, readItem } from '../adapters/dynamodb/workflows/workflow-reader.ts';
import { createWorkflowStore } from '../adapters/dynamodb/workflows/workflow-store.ts';
import { createLogEvents, type EndOptions } from '../adapters/events/log-events.ts';
import { lateHttpClient } from '../adapters/http-client/late-http-client.ts';
import { createLogger, forExecution, type LoggerOptions } from '../adapters/runtime/logger.ts';
import { randomIds } from '../adapters/runtime/random-ids.ts';
import { systemClock } from '../adapters/runtime/system-clock.ts';
import { lateTcpClient } from '../adapters/tcp-client/late-tcp-client.ts';
import { createCallbackUrls } from '../callbacks/callback-urls.ts';
import { createIdOfRequest } from '../deliveries/to-execution-id.ts';
import type { SharedServices } from '../engine/session.ts';
import { createNudgeAfterEnd } from '../executions/held/held-queues.ts';
import type { CallbackSigner } from '../executions/lifecycle/background-engine.ts';
import type { FinishParts } from '../executions/lifecycle/finish-execution.ts';
import { createOpenPlan, createOtherWorkflows, nodeTypesOf } from '../executions/lifecycle/plans.ts';
import type { RetryParts } from '../executions/lifecycle/retry-execution.ts';
import type { BlobStore } from '../executions/record/blob-store.ts';
import type { LoadNodeTypes } from '../plugins/load-node-types.ts';
import { createCache } from '../shared/cache.ts';
import { AppError } from '../shared/errors.ts';
import { measure } from '../shared/metrics/metrics.ts';
import { redactField } from '../shared/secrets/secret-shapes.ts';
import { createTakeSlot } from '../webhooks/limits/take-slot.ts';
import { resolveExecution } from '../workflows/definition/resolve-execution.ts';
import { rememberVersions } from '../workflows/definition/workflow-store.ts';
import { compilePlan } from '../workflows/plan/compile-plan.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import { type Config, readConfig } from './config.ts';
import { lateFailures } from './failures/late-failures.ts';
import { lateCredentials } from './late-credentials.ts';
import { lateFeatures } from './late-features.ts';
import { lateFiles } from './late-files.ts';
import { lateCredentialTests, lateInspect } from './late-inspect.ts';
import { lateRequests } from './recording/late-requests.ts';
import { openPlugins, openProcess, openRegistry } from './sandbox.ts';

// The composition root: connects configuration, plugins, adapters and use cases. Each function of the service calls one
// of the last exports; its bundle contains only what that export reaches. All throw AppError `CONFIGURATION_INVALID`,
// so that an incompletely configured function does not start.

export const openConfig = (): Config => readConfig(process.env);

export const openLogger = (
  { logLevel, stage, tablePrefix }: Config,
  options: Pick<LoggerOptions, 'redact'> = {},
): Logger =>
  createLogger({
    level: logLevel,
    fields: { service: 'hookloom', stage },
    namespace: tablePrefix,
    ...options,
  });

/** The stores of workflows and executions, which share a client. */
export const openStores = (config: Config, client: DynamoDbClient = openDynamoDb(config)) => {
  const tables = tableNames(need(config.tablePrefix, 'TABLE_PREFIX'));
  const { retentionDays } = config;
  return {
    client,
    tables,
    workflows: createWorkflowReader(client, tables),
    executions: createExecutionStore(client, tables, { retentionDays, clock: systemClock }),
  };
};

type Stores = ReturnType<typeof openStores>;

/** For code that reads the versions of many executions. */
const openVersions = (workflows: Stores['workflows']) =>
  rememberVersions(workflows, { clock: systemClock, random: Math.random });

const openDynamoDb = (config: Config) => {
  const logger = openLogger(config);
  return createJsonClient({
    region: config.region,
    endpoint: config.dynamodbEndpoint,
    onThrottle: (times, operation) =>
      logger.warn('The store is throttling.', {
        operation,
        ...measure({ values: { StoreThrottles: times } }),
      }),
  });
};

type LambdaOptions = Pick<AwsCallerOptions, 'readCredentials' | 'timeouts'>;

const openLambda = ({ region, lambdaEndpoint }: Config, options: LambdaOptions) =>
  createAwsCaller({ service: 'lambda', region, endpoint: lambdaEndpoint, ...options });

const openDispatcher = (config: Config, options: LambdaOptions = {}) =>
  createLambdaDispatcher(openLambda(config, options), {
    durable: need(config.durableFunction, 'RUN_DURABLE_FUNCTION'),
    express: need(config.expressFunction, 'RUN_EXPRESS_FUNCTION'),
  });

const openNudge = (config: Config, options: LambdaOptions = {}) =>
  createLambdaNudge(openLambda(config, options), need(config.sweepFunction, 'SWEEP_FUNCTION'));

/** Longer than the function's timeout. */
const TEST_TIMEOUTS = { connectMs: 2_000, exchangeMs: 30_000 };

const openCredentialTest = (config: Config, options: LambdaOptions = {}) =>
  createLambdaCredentialTest(
    openLambda(config, { ...options, timeouts: TEST_TIMEOUTS }),
    `${need(config.tablePrefix, 'TABLE_PREFIX')}-adminHealth`,
    systemClock.now,
  );

const openDurableService = (config: Config, options: LambdaOptions = {}) =>
  createLambdaDurableService(openLambda(config, options));

/** Publishes completion events to the bus, through the outbox, or to the log. */
const openEvents = (
  { region, eventBus }: Config,
  logger: Logger,
  options: EndOptions = { countsInline: true },
): Pick<FinishParts, 'events' | 'usesOutbox'> => {
  if (eventBus === null) return { events: createLogEvents(logger, options), usesOutbox: false };
  const open = lazy(async () => {
    const { openEventBus } = await import('../adapters/events/event-bus.chunk.ts');
    return openEventBus({ region, busName: eventBus, ...options }, logger);
  });
  return { events: { publish: async (ended) => (await open()).publish(ended) }, usesOutbox: true };
};

/** Reports failures, for functions that finish executions as failed. */
const openFailures = (
  { region, lambdaEndpoint, dispatchFunction, workflowCacheMs }: Config,
  logger: Logger,
  { client, tables }: Pick<Stores, 'client' | 'tables'>,
): Pick<FinishParts, 'findReport'> => {
  if (dispatchFunction === null) return {};
  const lambda = { region, endpoint: lambdaEndpoint, functionName: dispatchFunction };
  return { findReport: lateFailures({ ...lambda, client, tables, logger, cacheTtlMs: workflowCacheMs }) };
};

const openBlobs = ({ region, blobBucket, blobFolder }: Config): BlobStore => {
  const bucket = need(blobBucket, 'BLOB_BUCKET'); // required locally as well, so that a missing variable shows before deployment
  if (blobFolder !== null) return createFolderBlobStore(blobFolder);
  return createS3BlobStore(createAwsCaller({ service: 's3', region, endpoint: null, bucket }));
};

export const need = (value: string | null, name: string): string => {
  if (value === null) throw new AppError('CONFIGURATION_INVALID', { reason: `${name} is not set` });
  return value;
};

const openServices = (
  { http, tcp }: { readonly http: HttpClient; readonly tcp: TcpClient },
  { region, workflowRole }: Config,
): SharedServices => ({
  clock: systemClock,
  ids: randomIds,
  http,
  tcp,
  aws: lateAwsClient({ region, role: workflowRole }),
});

export const openAdmin = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  return { config, logger, clock: systemClock, loadRegistry: openRegistry(config, logger) };
};

export const openHealth = (config: Config = openConfig()) => {
  need(config.tablePrefix, 'TABLE_PREFIX');
  const { logger, clock, loadRegistry } = openAdmin(config);
  const inspect = lateInspect(config, logger);
  const openTests = lateCredentialTests(config);
  return { logger, clock, loadRegistry, inspect, openTests, pluginDeadlineMs: config.pluginDeadlineMs };
};

export const openExecutions = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const stores = openStores(config);
  const deliveries = createDeliveryStore(stores.client, stores.tables);
  return {
    logger,
    clock: systemClock,
    ...stores,
    deliveries,
    holdsUnlisted: createHoldsUnlisted(stores.client, stores.tables),
    ...openEvents(config, logger),
  };
};

export const openShowExecution = (config: Config = openConfig()) => {
  const executions = openExecutions(config);
  return { ...executions, ...openFailures(config, executions.logger, executions) };
};

export const openCancel = (config: Config = openConfig()) => ({
  ...openExecutions(config),
  durableService: openDurableService(config),
});

export const openRetry = (config: Config = openConfig()) => {
  const { loadNodeTypes } = openPlugins(config, openLogger(config));
  return {
    ...openExecutions(config),
    ...toRetry(loadNodeTypes),
    dispatcher: openDispatcher(config),
    ids: randomIds,
  };
};

/** Compiles the plan and resolves the mode of a retried workflow. */
export const toRetry = (loadNodeTypes: LoadNodeTypes): Pick<RetryParts, 'openPlan' | 'modeOf'> => ({
  openPlan: async ({ definition }) => compilePlan(definition, await loadNodeTypes(nodeTypesOf(definition))),
  modeOf: async ({ definition }) =>
    resolveExecution(definition, await loadNodeTypes(nodeTypesOf(definition))),
});

export const openSweep = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, ...stores } = openStores(config);
  const slots = createSlotStore(client, tables);
  return {
    ...stores,
    workflows: openVersions(stores.workflows),
    ...openEvents(config, logger),
    ...openFailures(config, logger, { client, tables }),
    dispatcher: openDispatcher(config),
    durableService: openDurableService(config),
    queues: createHeldQueues(client, tables, config),
    noteVersions: async () => findVersionProblem(await noteStageVersions(client, tables, { isNew: false })),
    countsSweeps: config.hasAlarms,
    // No caching: called right after an execution ends.
    takeSlot: createTakeSlot({ slots, executions: stores.executions, clock: systemClock, knownMs: 0 }),
    clock: systemClock,
    logger,
  };
};

export const openCallbacks = (config: Config = openConfig()) => {
  const { client, tables, executions } = openStores(config);
  return {
    executions,
    callbacks: createCallbackIndex(client, tables, systemClock),
    durableService: openDurableService(config),
    clock: systemClock,
    logger: openLogger(config),
  };
};

export const openApprovals = (config: Config = openConfig()) => {
  const { client, tables, executions } = openStores(config);
  return {
    executions,
    callbacks: createCallbackIndex(client, tables, systemClock),
    holdsUnlisted: createHoldsUnlisted(client, tables),
    clock: systemClock,
    logger: openLogger(config),
  };
};

/** The parts that inline and background runs share. */
const openRunParts = (config: Config, options?: EndOptions) => {
  const logger = openLogger(config, { redact: redactField }); // nodes log external data
  const { executions, client, tables, ...stores } = openStores(config);
  const workflows = openVersions(stores.workflows);
  const { loadNodeTypes, findCredentialType } = openPlugins(config, logger);
  const http = lateHttpClient(config.outboundAllow, config.publicUrl);
  const tcp = lateTcpClient(config.outboundAllow);
  const outboundCredentials = lateCredentials(http, async () => {
    const { openCredentials } = await import('./open-credentials.chunk.ts');
    return openCredentials(config, { client, tables, http, tcp, findType: findCredentialType });
  });
  const openPlan = createOpenPlan({
    loadNodeTypes,
    lookUpPlan: createCache<Plan>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries: 200, clock: systemClock }),
  });
  return {
    client,
    tables,
    workflows,
    executions,
    openPlan,
    otherWorkflows: createOtherWorkflows(workflows, openPlan),
    blobs: openBlobs(config),
    ...openEvents(config, logger, options),
    ...openFailures(config, logger, { client, tables }),
    services: openServices({ http: outboundCredentials, tcp }, config),
    outboundCredentials,
    filesFor: lateFiles(config, executions),
    logger,
    guard: openProcess(config, logger)?.guard,
    loggerFor: (execution: ExecutionInfo) => forExecution(logger, execution),
  };
};

/** The parts of express runs, which never wait for callbacks and so issue no callback URLs. */
export const openRuns = (config: Config = openConfig()) => {
  const parts = openRunParts(config);
  return {
    ...parts,
    afterEnd: createNudgeAfterEnd(openNudge(config), parts.logger),
    blobs: cacheBlobs(parts.blobs),
  };
};

/** A checkpoint has up to 750 kB. */
const CHECKPOINT_TIMEOUTS = { connectMs: 5_000, exchangeMs: 55_000 };

export const openDurableRuns = (config: Config = openConfig()) => {
  const parts = openRuns(config);
  const urls = {
    executions: parts.executions,
    clock: systemClock,
    publicUrl: need(config.publicUrl, 'PUBLIC_URL'),
    ...(config.printsCallbacks ? { onOpen: printCallback } : {}),
  };
  return {
    ...parts,
    openCallbackUrls: (signer: CallbackSigner) => createCallbackUrls(urls, signer),
    client: createLambdaCheckpointClient(openLambda(config, { timeouts: CHECKPOINT_TIMEOUTS })),
  };
};

/** Only for the terminal of the local service: elsewhere, a callback URL is a secret that must not be logged. */
const printCallback = (url: string): void => {
  process.stdout.write(`Waiting for an answer: ${url}\n`);
};

export const openWebhook = (config: Config = openConfig()) => {
  const { client, tables, ...parts } = openRunParts(config, { countsInline: false });
  return {
    ...parts,
    credentials: createCredentialStore(client, tables),
    deliveries: createDeliveryStore(client, tables),
    dispatcher: openDispatcher(config),
    openFeatures: lateFeatures({
      ...parts,
      config,
      client,
      tables,
      clock: systemClock,
      http: parts.outboundCredentials,
      credentials: parts.outboundCredentials,
    }),
    idOfRequest: createIdOfRequest(systemClock),
    recordRequest: lateRequests({
      ...parts,
      client,
      tables,
      retentionDays: config.requestRetentionDays,
      clock: systemClock,
      ids: randomIds,
    }),
    settings: {
      maxBodyBytes: config.maxBodyBytes,
      maxBodyDepth: config.maxBodyDepth,
      cacheTtlMs: config.workflowCacheMs,
      deduplicationWindowMs: config.deduplicationWindowMs,
    },
  };
};

/** For the functions of triggers fired by events. */
export const openEventFunction = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  const { client, tables, ...stores } = openStores(config);
  return {
    ...stores,
    client,
    tables,
    deliveries: createDeliveryStore(client, tables),
    windowMs: config.deduplicationWindowMs,
    maxInputDepth: config.maxBodyDepth,
    dispatcher: openDispatcher(config),
    blobs: openBlobs(config),
    loadNodeTypes: openPlugins(config, logger).loadNodeTypes,
    clock: systemClock,
    ids: randomIds,
    logger,
  };
};

/** For manual starts. */
export const openRunWorkflow = (config: Config = openConfig()) => {
  const { maxBodyBytes, maxBodyDepth } = config;
  return { ...openEventFunction(config), settings: { maxBodyBytes, maxBodyDepth } };
};

/** Operations on all stored data. */
const openStoredData = (
  { dynamodbEndpoint, tablePrefix }: Config,
  sdk: DynamoDBClient,
  { client, tables }: { readonly client: DynamoDbClient; readonly tables: TableNames },
) => ({
  /** Why this release can't read it, according to the recorded versions; null if it can. */
  findVersionProblem: async () => {
    const stage = await readStageVersions(client, tables);
    return stage === null ? null : findVersionProblem(stage);
  },
  migrate: async (options: Pick<MigrationParts, 'isDryRun' | 'sleep' | 'onPage'>) => {
    const ofEngine = `${tablePrefix}-local-durable`; // only on this machine
    const hasEngine = dynamodbEndpoint !== null && (await createListIndexes(sdk)(ofEngine)) !== null;
    const others = hasEngine ? { [ofEngine]: ['arn', 'part'] } : {};
    return migrateStoredData({ client, tables, others, ...options });
  },
});

export const openCommands = (config: Config) => {
  const sdk = createSdk(config.dynamodbEndpoint ?? undefined);
  const stores = openStores(config, createSdkClient(sdk));
  const { client, tables } = stores;
  const local = { accessKeyId: 'local', secretAccessKey: 'local' };
  // For a deployed stage, from the SDK's credential chain: profiles and single sign-on included.
  const readCredentials = config.lambdaEndpoint === null ? () => sdk.config.credentials() : () => local;
  return {
    ...stores,
    workflows: createWorkflowStore(client, tables, systemClock),
    storedData: openStoredData(config, sdk, { client, tables }),
    close: () => sdk.destroy(),
    readCredentials,
    logger: openLogger({ ...config, logLevel: 'warn' }), // commands print their own results
    credentials: createCredentialStore(client, tables),
    deliveries: createDeliveryStore(client, tables),
    callbacks: createCallbackIndex(client, tables, systemClock),
    holdsUnlisted: createHoldsUnlisted(client, tables),
    hasWorkflow: async (id: string) => (await readItem(client, tables.workflows, id, true)) !== null,
    listDefinitions: createListDefinitions(client, tables, { maxPages: Number.POSITIVE_INFINITY }),
    dispatcher: openDispatcher(config, { readCredentials }),
    durableService: openDurableService(config, { readCredentials }),
    queues: createHeldQueues(client, tables, config),
    nudgeQueue: openNudge(config, { readCredentials }),
    testCredential: openCredentialTest(config, { readCredentials }),
  };
};
