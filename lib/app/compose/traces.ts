import { join } from 'node:path';
import { type HttpClient, isToken, type Logger } from '@hookloom/plugin-kit';
import { createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { readEnd } from '../../adapters/dynamodb/statistics/read-change.ts';
import { lateHttpClient } from '../../adapters/http-client/late-http-client.ts';
import { createSpanSender } from '../../adapters/otlp/span-sender.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { createParameterStore } from '../../adapters/secrets/aws-secret-store.ts';
import { createFolderSecretStore } from '../../adapters/secrets/folder-secret-store.ts';
import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import type { AttributeValues } from '../../executions/traces/otlp.ts';
import { createCache } from '../../shared/cache.ts';
import { CONFIGURATION_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { Config } from '../config.ts';
import type { SendSpans } from '../export-traces.ts';
import { openConfig, openLogger } from './parts.ts';

/** How long a sandbox keeps the headers of the collector. */
const HEADERS_KEPT_MS = 300_000;

/** Opens the function that sends traces. It starts without a collector, since the local service has it in any case. */
export const openExportTraces = (config: Config = openConfig()) => {
  const logger = openLogger(config);
  return {
    readEnd,
    send: config.traces === null ? refuseSpans : openSender(config, readUrl(config.traces), logger),
    ratio: config.traceRatio,
    clock: systemClock,
    logger,
  };
};

const refuseSpans: SendSpans = async () => {
  throw new AppError(CONFIGURATION_INVALID, { reason: 'TRACES is not set' });
};

const openSender = (config: Config, url: URL, logger: Logger): SendSpans =>
  createSpanSender({
    url: url.href,
    readHeaders: openHeaders(config),
    http: openHttp(url),
    resource: toResource(config),
    version: config.version,
    clock: systemClock,
    random: Math.random,
    logger,
  });

const readUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (url === null) throw new AppError(CONFIGURATION_INVALID, { reason: 'TRACES is not a URL' });
  return url;
};

/** The collector may be at an address that nodes can't reach: an extension of the function listens on its own machine. */
const openHttp = ({ host }: URL): HttpClient => lateHttpClient([host]);

/** By https://opentelemetry.io/docs/specs/semconv/resource/ */
const toResource = ({ stage, version, region, lambdaEndpoint, tablePrefix }: Config): AttributeValues => ({
  'service.name': 'hookloom',
  'service.namespace': tablePrefix ?? undefined,
  'service.version': version,
  'deployment.environment.name': stage,
  ...(lambdaEndpoint === null ? { 'cloud.provider': 'aws', 'cloud.region': region } : {}),
});

/** Reads the headers from their secret, whose content is that of `OTEL_EXPORTER_OTLP_HEADERS`. */
const openHeaders = (config: Config): (() => Promise<Readonly<Record<string, string>>>) => {
  const { traceHeaders: name } = config;
  if (name === null) return async () => ({});
  const secrets = openSecrets(config);
  const lookUp = createCache<Readonly<Record<string, string>>>({
    ttlMs: HEADERS_KEPT_MS,
    maxEntries: 1,
    clock: systemClock,
  });
  return () =>
    lookUp(name, async () => {
      const text = await secrets.get(secrets.referenceOf(name));
      if (text === null) throw invalidHeaders(name, 'does not exist');
      return parseHeaders(name, text);
    });
};

const openSecrets = ({ secretsFolder, region, tablePrefix }: Config): SecretStore =>
  secretsFolder === null
    ? createParameterStore(
        createAwsCaller({ service: 'ssm', region, endpoint: null }),
        `/${tablePrefix}/traces`,
        { clock: systemClock, random: Math.random },
      )
    : createFolderSecretStore(join(secretsFolder, 'traces'));

/** The form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, with values encoded as in a URL. */
const parseHeaders = (name: string, text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=');
      const header = pair.slice(0, Math.max(0, at)).trim();
      if (!isToken(header)) throw invalidHeaders(name, 'is not name=value,name=value');
      return [header.toLowerCase(), decodeValue(name, pair.slice(at + 1).trim())];
    }),
  );

const decodeValue = (name: string, text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidHeaders(name, 'has a value with a % that encodes nothing');
  }
};

const invalidHeaders = (name: string, problem: string): AppError =>
  new AppError(CONFIGURATION_INVALID, { reason: `the secret "${name}" of TRACE_HEADERS ${problem}` });
