import type { LogLevel } from '../adapters/runtime/logger.ts';
import { CONFIGURATION_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

/** @throws AppError `CONFIGURATION_INVALID`, naming the variable and its allowed values, but not its value */
export const readConfig = (env: Readonly<Record<string, string | undefined>>) => ({
  stage: env.STAGE ?? 'dev',
  version: env.SERVICE_VERSION ?? '0.0.0',
  logLevel: readLogLevel(env.LOG_LEVEL),
  disabledPlugins: readList(env.DISABLED_PLUGINS),
  /** Time limit for each of loading, initialising and checking a plugin. */
  pluginDeadlineMs: readNumber(env, 'PLUGIN_DEADLINE_MS', { initial: 2_000, min: 1, max: 60_000 }),
  /** How long a sandbox caches workflows and credentials. */
  workflowCacheMs: readNumber(env, 'WORKFLOW_CACHE_SECONDS', { initial: 5, min: 0, max: 3_600 }) * 1_000,
  maxBodyBytes: readNumber(env, 'MAX_BODY_BYTES', { initial: 6_291_456, min: 1, max: 6_291_456 }),
  maxBodyDepth: readNumber(env, 'MAX_BODY_DEPTH', { initial: 100, min: 1, max: 900 }),
  maxFileBytes: readNumber(env, 'MAX_FILE_BYTES', { initial: 1_073_741_824, min: 1, max: 50_000_000_000 }),
  maxFiles: readNumber(env, 'MAX_FILES', { initial: 1_000, min: 1, max: 1_000_000 }),
  retentionDays: readRetentionDays(env),
  /** How many days recorded requests are kept. */
  requestRetentionDays: readNumber(env, 'REQUEST_RETENTION_DAYS', { initial: 7, min: 1, max: 365 }),
  /** Private addresses that `httpRequest` may reach. */
  outboundAllow: readList(env.OUTBOUND_ALLOW),
  outboundLimits: readList(env.OUTBOUND_LIMITS),
  /** Prefix of the tables' names; null in functions that use no table. */
  tablePrefix: env.TABLE_PREFIX || null,
  /** URL of a local DynamoDB; null in AWS. */
  dynamodbEndpoint: env.DYNAMODB_ENDPOINT || null,
  region: env.AWS_REGION || 'us-east-1',
  /** A local Lambda API; null in AWS. */
  lambdaEndpoint: env.AWS_ENDPOINT_URL_LAMBDA || null,
  /** Local APIs of Scheduler, EventBridge, SQS and event source mappings; null in AWS. */
  sourcesEndpoint: env.SOURCES_ENDPOINT || null,
  /** The functions for background runs, the durable one with its alias: `name:alias`. Null in functions that start none. */
  durableFunction: env.RUN_DURABLE_FUNCTION || null,
  expressFunction: env.RUN_EXPRESS_FUNCTION || null,
  /** The function that receives the events of triggers; null in functions that report no failures. */
  dispatchFunction: env.DISPATCH_FUNCTION || null,
  /** The sweeper function; null in functions that do not invoke it. */
  sweepFunction: env.SWEEP_FUNCTION || null,
  /** The function that runs bulk retries; null in functions that do not invoke it. */
  retryFunction: env.RETRY_FUNCTION || null,
  /** The store of large values: a bucket, or a local folder. */
  blobBucket: env.BLOB_BUCKET || null,
  blobFolder: env.BLOB_FOLDER || null,
  /** Origin that accepts uploads locally; null in AWS. */
  uploadEndpoint: env.UPLOAD_ENDPOINT || null,
  /** Local folder with the secrets of outbound credentials; null in AWS. */
  secretsFolder: env.SECRETS_FOLDER || null,
  /** ARN of the role with which nodes call AWS; null on this machine. */
  workflowRole: env.WORKFLOW_ROLE || null,
  /** Bus for completion events; null writes them to the log. */
  eventBus: env.EVENT_BUS === 'none' ? null : env.EVENT_BUS || null,
  /** The URL to which traces are sent; null for no traces. */
  traces: env.TRACES === 'none' ? null : env.TRACES || null,
  /** How many of the traces that begin here are sampled, 0 to 1. */
  traceRatio: Number(env.TRACE_RATIO || 1),
  /** The name of the secret with the headers of the collector; null for none. */
  traceHeaders: env.TRACE_HEADERS === 'none' ? null : env.TRACE_HEADERS || null,
  /** Whether the stage has alarms that rely on the metrics of its sweeps. */
  hasAlarms: env.ALARM_TOPIC !== undefined && env.ALARM_TOPIC !== 'none',
  /** Public origin, without a trailing slash; null in functions that issue no callback URLs. */
  publicUrl: env.PUBLIC_URL?.replace(/\/+$/, '') || null,
  /** How long a repeated delivery counts as a duplicate. */
  deduplicationWindowMs: readWindow(env),
  /** Whether to print callback URLs: only for the terminal of the local service. */
  printsCallbacks: env.PRINT_CALLBACKS === '1',
  /** Origin of the local service, which prints notices to its terminal; null elsewhere. */
  noticesPrintedAt: env.PRINT_NOTICES || null,
  /** Whether the process serves only this function, which may then handle signals and unhandled errors, and exit. */
  ownsProcess: env.OWN_PROCESS === '1',
});

/** The environment, parsed and validated once. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the deduplication window, which is at most the retention: duplicates are answered from the record of the first
 * delivery.
 */
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
  throw new AppError(CONFIGURATION_INVALID, { reason: `LOG_LEVEL must be one of ${logLevels.join(', ')}` });
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
  throw new AppError(CONFIGURATION_INVALID, {
    reason: `${name} must be an integer from ${min} to ${max}`,
  });
};
