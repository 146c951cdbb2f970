import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'lambda-stage/gateway';
import type { StreamMapping } from 'lambda-stage/sources';
import { parse, type ScalarTag } from 'yaml';
import { resolveVariables, type VariableSources } from './resolve-variables.ts';

/** A function as serverless.yml defines it. */
export interface FunctionDefinition {
  /** The function's key under `functions`. */
  readonly key: string;
  /** The handler's file relative to the project, without its extension: `functions/webhook`. */
  readonly module: string;
  readonly exportName: string;
  readonly timeoutSeconds: number;
  /** Variables of the function; undefined where only a deployment has the value. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The part of serverless.yml that the local service uses. */
export interface ServiceFile {
  readonly tablePrefix: string;
  readonly functions: readonly FunctionDefinition[];
  readonly routes: readonly Route[];
  /** The functions that receive the changes of tables. */
  readonly streams: readonly StreamMapping[];
  /** The options that serverless-esbuild passes to esbuild. */
  readonly esbuild: Readonly<Record<string, unknown>>;
  /** The file extension, including the dot. */
  readonly bundleExtension: string;
}

interface RawFunction {
  readonly handler: string;
  readonly timeout?: number;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly events?: readonly Readonly<Record<string, unknown>>[];
}

interface RawFile {
  readonly provider: {
    readonly stage?: string;
    readonly timeout?: number;
    readonly environment?: Readonly<Record<string, unknown>>;
  };
  readonly custom: Readonly<Record<string, unknown>> & {
    readonly tablePrefix: string;
    readonly esbuild?: Readonly<Record<string, unknown>>;
  };
  readonly functions: Readonly<Record<string, RawFunction>>;
  readonly resources: { readonly Resources: Readonly<Record<string, RawResource>> };
}

interface RawResource {
  readonly Properties?: {
    readonly TableName?: string;
    readonly KeySchema?: readonly { readonly AttributeName: string }[];
  };
}

interface RawStream {
  readonly arn: { readonly '!GetAtt': string };
  readonly filterPatterns: StreamMapping['filterPatterns'];
  readonly functionResponseType?: string;
}

/** The Serverless Framework's default. */
const TIMEOUT_SECONDS = 6;

/** CloudFormation's functions, which have no value on this machine: an object with the function's input. */
const cloudFormationTags: ScalarTag[] = ['!Ref', '!Sub', '!GetAtt'].map((tag) => ({
  tag,
  resolve: (input) => ({ [tag]: input }),
}));

/**
 * Reads functions, routes and build options from serverless.yml.
 * @param folder - of the project
 */
export const readServiceFile = (
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ServiceFile => {
  const text = readFileSync(join(folder, 'serverless.yml'), 'utf8');
  const file: RawFile = parse(text, { merge: true, customTags: cloudFormationTags, logLevel: 'silent' });
  const { provider, custom, functions, resources } = file;
  const sources: VariableSources = {
    file,
    stage: 'dev',
    environment,
    readJson: (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')),
  };
  const resolve = (value: unknown): string | undefined =>
    value === undefined || typeof value === 'object' ? undefined : resolveVariables(String(value), sources);

  const toDefinition = ([key, raw]: [string, RawFunction]): FunctionDefinition => {
    const at = raw.handler.lastIndexOf('.');
    const variables = { ...provider.environment, ...raw.environment };
    return {
      key,
      module: raw.handler.slice(0, at),
      exportName: raw.handler.slice(at + 1),
      timeoutSeconds: raw.timeout ?? provider.timeout ?? TIMEOUT_SECONDS,
      environment: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, resolve(value)]),
      ),
    };
  };
  /** The mapping of a `stream` event, whose `arn` is `!GetAtt TABLE.StreamArn`. */
  const toStream = (
    functionKey: string,
    { arn, filterPatterns, functionResponseType }: RawStream,
  ): StreamMapping => {
    const { TableName, KeySchema = [] } =
      resources.Resources[arn['!GetAtt'].split('.')[0] ?? '']?.Properties ?? {};
    const keys = KeySchema.map(({ AttributeName }) => AttributeName);
    const reportsItemFailures = functionResponseType === 'ReportBatchItemFailures';
    return { table: resolve(TableName) ?? '', functionKey, keys, filterPatterns, reportsItemFailures };
  };
  const entries = Object.entries(functions);
  return {
    tablePrefix: resolve(custom.tablePrefix) ?? custom.tablePrefix,
    functions: entries.map(toDefinition),
    routes: entries.flatMap(([functionKey, { events = [] }]) =>
      events.flatMap(({ httpApi }) => (httpApi === undefined ? [] : [{ ...toRoute(httpApi), functionKey }])),
    ),
    streams: entries.flatMap(([functionKey, { events = [] }]) =>
      events.flatMap(({ stream }) =>
        stream === undefined ? [] : [toStream(functionKey, stream as RawStream)],
      ),
    ),
    ...readBuild(custom.esbuild ?? {}),
  };
};

/** The route of an `httpApi` event: `GET /path` or `{ method, path, authorizer }`. */
const toRoute = (httpApi: unknown): Omit<Route, 'functionKey'> => {
  if (typeof httpApi === 'string') return { event: httpApi };
  const { method, path, authorizer } = httpApi as Readonly<Record<'method' | 'path' | 'authorizer', unknown>>;
  const event = path === undefined || path === '*' ? '*' : `${method} ${path}`;
  return { event, ...(authorizer === undefined ? {} : { isPrivate: true }) };
};

/** serverless-esbuild's own options. https://github.com/floydspace/serverless-esbuild#options */
const PLUGIN_OPTIONS = new Set(
  `concurrency disposeContext exclude installExtraArgs keepOutputDirectory nativeZip nodeExternals
  outputBuildFolder outputFileExtension outputWorkFolder packagePath packager packagerOptions plugins skipBuild
  skipBuildExcludeFns skipRebuild stripEntryResolveExtensions watch zipConcurrency`.split(/\s+/),
);

const readBuild = (options: Readonly<Record<string, unknown>>) => {
  const { outputFileExtension = '.js', external = [], exclude = ['aws-sdk'] } = options;
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => !PLUGIN_OPTIONS.has(name)));
  return {
    bundleExtension: String(outputFileExtension),
    esbuild: { bundle: true, platform: 'node', ...own, external: [external, exclude].flat() },
  };
};
