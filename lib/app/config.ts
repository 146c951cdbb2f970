import type { LogLevel } from '../adapters/runtime/logger.ts';
import { AppError } from '../shared/errors.ts';

/** The environment, read and checked once. */
export interface Config {
  readonly stage: string;
  readonly version: string;
  readonly logLevel: LogLevel;
  /** Ids of plugins that are switched off. */
  readonly disabledPlugins: readonly string[];
  /** For loading, initialising and checking one plugin, each. */
  readonly pluginDeadlineMs: number;
  /** How long a sandbox may go by what it has read of a workflow or a credential. */
  readonly workflowCacheMs: number;
  readonly maxBodyBytes: number;
  readonly maxBodyDepth: number;
  readonly retentionDays: number;
  /** What httpRequest may reach although it is private. */
  readonly outboundAllow: readonly string[];
  /** Null in functions that use no table. */
  readonly tablePrefix: string | null;
  /** A DynamoDB on this machine; null in AWS. */
  readonly dynamodbEndpoint: string | null;
  readonly region: string;
  /** The Lambda API on this machine; null in AWS. */
  readonly lambdaEndpoint: string | null;
  /** The functions for background runs, the durable one with its alias: `name:alias`. Null in functions that start none. */
  readonly durableFunction: string | null;
  readonly expressFunction: string | null;
  /** Where large values are kept: a bucket, or a folder of this machine. */
  readonly blobBucket: string | null;
  readonly blobFolder: string | null;
  /** Where the end of executions is told; null: in the log. */
  readonly eventBus: string | null;
  /** Where the service is reached from outside; null in functions that give out no addresses. */
  readonly publicUrl: string | null;
  /** For how long a delivery that comes again is a duplicate. */
  readonly deduplicationWindowMs: number;
  /** Whether the addresses of callbacks are printed: for the person at the terminal of the local service alone. */
  readonly printsCallbacks: boolean;
  /** Whether the process serves this function alone, so that it may take over its signals and errors, and end it. */
  readonly ownsProcess: boolean;
}

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** @throws AppError `CONFIGURATION_INVALID` that names the variable and what it must be, not what it is */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => ({
  stage: env.STAGE ?? 'dev',
  version: env.SERVICE_VERSION ?? '0.0.0',
  logLevel: readLogLevel(env.LOG_LEVEL),
  disabledPlugins: readList(env.DISABLED_PLUGINS),
  pluginDeadlineMs: readNumber(env, 'PLUGIN_DEADLINE_MS', { initial: 2_000, min: 1, max: 60_000 }),
  workflowCacheMs: readNumber(env, 'WORKFLOW_CACHE_SECONDS', { initial: 5, min: 0, max: 3_600 }) * 1_000,
  maxBodyBytes: readNumber(env, 'MAX_BODY_BYTES', { initial: 6_291_456, min: 1, max: 6_291_456 }),
  maxBodyDepth: readNumber(env, 'MAX_BODY_DEPTH', { initial: 100, min: 1, max: 900 }),
  retentionDays: readRetentionDays(env),
  outboundAllow: readList(env.OUTBOUND_ALLOW),
  tablePrefix: env.TABLE_PREFIX || null,
  dynamodbEndpoint: env.DYNAMODB_ENDPOINT || null,
  region: env.AWS_REGION || 'us-east-1',
  lambdaEndpoint: env.AWS_ENDPOINT_URL_LAMBDA || null,
  durableFunction: env.RUN_DURABLE_FUNCTION || null,
  expressFunction: env.RUN_EXPRESS_FUNCTION || null,
  blobBucket: env.BLOB_BUCKET || null,
  blobFolder: env.BLOB_FOLDER || null,
  eventBus: env.EVENT_BUS === 'none' ? null : env.EVENT_BUS || null,
  publicUrl: env.PUBLIC_URL?.replace(/\/+$/, '') || null,
  deduplicationWindowMs: readWindow(env),
  printsCallbacks: env.PRINT_CALLBACKS === '1',
  ownsProcess: env.OWN_PROCESS === '1',
});

/** A duplicate is known by the record of the first one: that has to be there for as long. */
const readWindow = (env: Readonly<Record<string, string | undefined>>): number => {
  const days = readRetentionDays(env);
  const max = Math.min(days, 30) * 86_400;
  return readNumber(env, 'DEDUPLICATION_WINDOW_SECONDS', { initial: 86_400, min: 1, max }) * 1_000;
};

const readRetentionDays = (env: Readonly<Record<string, string | undefined>>): number =>
  readNumber(env, 'RETENTION_DAYS', { initial: 30, min: 1, max: 3_650 });

const readLogLevel = (value: string | undefined): LogLevel => {
  const level = logLevels.find((candidate) => candidate === (value || 'info'));
  if (level !== undefined) return level;
  throw new AppError('CONFIGURATION_INVALID', { reason: `LOG_LEVEL must be one of ${logLevels.join(', ')}` });
};

const readList = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const readNumber = (
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { initial, min, max }: { readonly initial: number; readonly min: number; readonly max: number },
): number => {
  const text = env[name];
  if (text === undefined || text === '') return initial;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new AppError('CONFIGURATION_INVALID', {
    reason: `${name} must be a whole number from ${min} to ${max}`,
  });
};
