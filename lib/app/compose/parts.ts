import { type Logger, lazy } from '@hookloom/plugin-kit';
import { type AwsCallerOptions, createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createLambdaDurableService } from '../../adapters/aws/lambda-durable-service.ts';
import { createLambdaDispatcher, createLambdaNudge } from '../../adapters/aws/lambda-events.ts';
import { createFolderBlobStore } from '../../adapters/blobs/folder-blobs.ts';
import { createS3BlobStore } from '../../adapters/blobs/s3-blob-store.ts';
import type { DynamoDbClient } from '../../adapters/dynamodb/client.ts';
import { createExecutionStore } from '../../adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../adapters/dynamodb/json-client.ts';
import { createSettingsStore } from '../../adapters/dynamodb/settings-store.ts';
import { type StageTables, tableNames } from '../../adapters/dynamodb/table-names.ts';
import { createWorkflowReader } from '../../adapters/dynamodb/workflows/workflow-reader.ts';
import { createLogEvents, type EndOptions } from '../../adapters/events/completion-events.ts';
import { createLogger, type LoggerOptions } from '../../adapters/runtime/logger.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { Ports } from '../../executions/ports.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import type { FindReport } from '../../executions/record/failure-reports.ts';
import type { Notices } from '../../health/notices/notice.ts';
import { CONFIGURATION_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { measure } from '../../shared/metrics.ts';
import { toValues } from '../../shared/settings/variables.ts';
import { onStage } from '../../workflows/definition/on-stage.ts';
import { rememberVersions } from '../../workflows/definition/workflow-store.ts';
import { type Config, readConfig } from '../config.ts';
import type { FailureParts } from './open-failures.chunk.ts';

// The composition root connects configuration, plugins, adapters and use cases. The files of this folder open what one kind of
// function needs, this one what several need: a bundle contains only what its function reaches. All throw AppError
// `CONFIGURATION_INVALID`, so that an incompletely configured function does not start.

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
    workflows: createWorkflowReader(client, tables, systemClock),
    executions: createExecutionStore(client, tables, { retentionDays, clock: systemClock }),
  };
};

type Stores = ReturnType<typeof openStores>;

/** Reads the values of all variables, by name, with all changes: for triggers that read any. */
export const openReadVariables = ({ client, tables }: StageTables) => {
  const settings = createSettingsStore(client, tables);
  return async () => toValues((await settings.findLatest('variables')).content);
};

/** Opens a reader of workflows whose executions are started or run here: see {@link onStage}. */
export const openStageWorkflows = (
  config: Config,
  stores: StageTables & Pick<Stores, 'workflows'>,
  { readVariables }: Pick<ReturnType<typeof lateSettings>, 'readVariables'> = lateSettings(config, stores),
) => onStage(stores.workflows, { stage: config.stage, readVariables });

/** {@link openStageWorkflows} for many starts a second: reads the variables once in the time for which a request's workflow is cached. */
export const openRecalledWorkflows = (config: Config, stores: StageTables & Pick<Stores, 'workflows'>) => {
  const load = loadSettings(config, stores);
  return openStageWorkflows(config, stores, { readVariables: async () => (await load()).recallVariables() });
};

/** The settings of the stage, loaded on first use: few runs need any. */
export const lateSettings = (config: Config, stores: StageTables) =>
  latePort(loadSettings(config, stores), ['readVariables', 'assertEnabled']);

const loadSettings = (config: Config, stores: StageTables) =>
  lazy(async () => (await import('./open-settings.chunk.ts')).openSettings(config, stores));

/** Opens a cached reader of workflow versions, for code that reads those of many executions. */
export const openVersions = (workflows: Stores['workflows']) =>
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

export const openLambda = ({ region, lambdaEndpoint }: Config, options: LambdaOptions) =>
  createAwsCaller({ service: 'lambda', region, endpoint: lambdaEndpoint, ...options });

export const openDispatcher = (config: Config, options: LambdaOptions = {}) =>
  createLambdaDispatcher(openLambda(config, options), {
    durable: need(config.durableFunction, 'RUN_DURABLE_FUNCTION'),
    express: need(config.expressFunction, 'RUN_EXPRESS_FUNCTION'),
  });

export const openNudge = (config: Config, options: LambdaOptions = {}) =>
  createLambdaNudge(openLambda(config, options), need(config.sweepFunction, 'SWEEP_FUNCTION'));

export const openDurableService = (config: Config, options: LambdaOptions = {}) =>
  createLambdaDurableService(openLambda(config, options));

/** Publishes completion events to the bus, through the outbox, or to the log. */
export const openEvents = (
  { region, eventBus }: Config,
  logger: Logger,
  options: EndOptions = { countsInline: true },
): Pick<Ports, 'events' | 'usesOutbox'> => {
  if (eventBus === null) return { events: createLogEvents(logger, options), usesOutbox: false };
  const open = lazy(async () => {
    const { openEventBus } = await import('../../adapters/events/event-bus.chunk.ts');
    return openEventBus({ region, busName: eventBus, ...options }, logger);
  });
  return { events: { publish: async (ended) => (await open()).publish(ended) }, usesOutbox: true };
};

/** Reports failures, for functions that finish executions as failed. */
export const openFailures = (
  { region, lambdaEndpoint, dispatchFunction, workflowCacheMs, noticesPrintedAt }: Config,
  logger: Logger,
  { client, tables }: StageTables,
): Pick<Ports, 'findReport'> => {
  if (dispatchFunction === null) return {};
  const lambda = { region, endpoint: lambdaEndpoint, functionName: dispatchFunction };
  const options = { cacheTtlMs: workflowCacheMs, reportsAll: noticesPrintedAt !== null };
  return { findReport: lateFailures({ ...lambda, client, tables, logger, ...options }) };
};

/**
 * Raises and settles notices, for functions that find something out, loaded on first use. Their roles need `raiseNotices`
 * and `errorTriggers` of serverless.yml.
 */
export const openNotices = (tables: StageTables): Notices =>
  latePort(async () => (await import('./open-notices.chunk.ts')).openNotices(tables), ['raise', 'settle']);

export const openBlobs = ({ region, blobBucket, blobFolder }: Config): BlobStore => {
  const bucket = need(blobBucket, 'BLOB_BUCKET'); // required locally as well, so that a missing variable shows before deployment
  if (blobFolder !== null) return createFolderBlobStore(blobFolder);
  return createS3BlobStore(createAwsCaller({ service: 's3', region, endpoint: null, bucket }));
};

export const need = (value: string | null, name: string): string => {
  if (value === null) throw new AppError(CONFIGURATION_INVALID, { reason: `${name} is not set` });
  return value;
};

/** A function whose file is loaded by its first call. */
export const late = <Parameters extends readonly unknown[], Output>(
  open: () => Promise<(...parameters: Parameters) => Promise<Output> | Output>,
): ((...parameters: Parameters) => Promise<Output>) => {
  const load = lazy(open);
  return async (...parameters) => (await load())(...parameters);
};

/** An object whose file is loaded by the first call of one of the named methods, which do not use `this`. */
export const latePort = <
  Name extends string,
  Port extends Readonly<Record<Name, (...parameters: never[]) => Promise<unknown>>>,
>(
  open: () => Promise<Port>,
  names: readonly Name[],
): Pick<Port, Name> => {
  const load = lazy(open);
  const methods = names.map((name) => [name, late(async () => (await load())[name])]);
  return Object.fromEntries(methods) as Pick<Port, Name>;
};

/** Reports of failures, loaded for the first failure: successful runs need none of the code. @internal */
export const lateFailures = (parts: FailureParts): FindReport =>
  late(async () => (await import('./open-failures.chunk.ts')).openFailures(parts));
