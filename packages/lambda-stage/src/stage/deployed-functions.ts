import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StartError } from '../database/start-error.ts';
import type { JsonObject } from '../net/json.ts';
import type { FunctionIdentity, FunctionVersion } from '../pool/messages.ts';
import type { Keys } from './door/door-types.ts';
import type { ResolvedTemplate } from './door/template.ts';

export interface DeployedFunction {
  /** The function's name without the stack's: `hello` for `shop-dev-hello`. */
  readonly key: string;
  readonly name: string;
  readonly logicalId: string;
  /** The name of its zip, without `.zip`. */
  readonly zip: string;
  readonly runtime: string;
  /** ARN of the function's role. */
  readonly role: string;
  readonly arn: string;
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMegabytes: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly isDurable: boolean;
  /** ARN of the queue for undeliverable events. */
  readonly deadLetters: string | null;
  /** The function's aliases with their versions. */
  readonly aliases: Readonly<Record<string, string>>;
}

interface FunctionProperties {
  readonly Code?: { readonly S3Key?: string };
  readonly Runtime?: string;
  readonly Handler: string;
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
  readonly DurableConfig?: JsonObject;
  readonly DeadLetterConfig?: { readonly TargetArn: string };
  readonly Role: string;
}

/** Lambda's default timeout. */
const TIMEOUT_SECONDS = 3;
const MEMORY_MEGABYTES = 128;

const RUNTIME = 'nodejs24.x';

/** The version that a deployment publishes. */
const VERSION = '1';

export const readFunctions = ({ resources, stackName }: ResolvedTemplate): readonly DeployedFunction[] => {
  const ofType = (wanted: string) => Object.values(resources).filter(({ type }) => type === wanted);
  return ofType('AWS::Lambda::Function').map(({ logicalId, ref, arn, properties: given }) => {
    const properties = given as unknown as FunctionProperties;
    const { Environment, DeadLetterConfig } = properties;
    const name = ref ?? logicalId;
    const key = name.startsWith(`${stackName}-`) ? name.slice(stackName.length + 1) : name;
    const aliases = ofType('AWS::Lambda::Alias')
      .filter(({ properties: alias }) => isOf(alias.FunctionName, name))
      .map(({ properties: alias }) => [String(alias.Name), VERSION]);
    return {
      key,
      name,
      logicalId,
      zip: basename(properties.Code?.S3Key ?? key, '.zip'),
      runtime: properties.Runtime ?? RUNTIME,
      role: properties.Role,
      arn: arn ?? '',
      handler: properties.Handler,
      timeoutMs: (properties.Timeout ?? TIMEOUT_SECONDS) * 1_000,
      memoryMegabytes: properties.MemorySize ?? MEMORY_MEGABYTES,
      variables: Object.fromEntries(
        Object.entries(Environment?.Variables ?? {}).map(([variable, value]) => [variable, String(value)]),
      ),
      isDurable: properties.DurableConfig !== undefined,
      deadLetters: DeadLetterConfig?.TargetArn ?? null,
      aliases: Object.fromEntries(aliases),
    };
  });
};

/** Resources refer to a function by name or ARN. */
const isOf = (named: unknown, name: string): boolean => String(named).split(':').includes(name);

const identifyFunction = ({ name, arn, memoryMegabytes, isDurable }: DeployedFunction): FunctionIdentity => ({
  functionName: name,
  functionVersion: isDurable ? VERSION : '$LATEST',
  invokedFunctionArn: arn,
  memoryLimitInMB: String(memoryMegabytes),
  logGroupName: `/aws/lambda/${name}`,
  logStreamName: '2026/01/01/[$LATEST]0',
});

/** What Lambda looks for, in this order: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html */
const EXTENSIONS = ['.js', '.mjs', '.cjs'];

/** @throws StartError for a handler that is not in the zip */
const findHandler = ({ name, handler }: DeployedFunction, folder: string) => {
  const at = handler.lastIndexOf('.');
  const files = EXTENSIONS.map((extension) => `${join(folder, handler.slice(0, at))}${extension}`);
  const file = files.find((one) => existsSync(one));
  if (file === undefined) throw new StartError(`${name}: there is none of ${files.join(', ')}.`);
  return { file, exportName: handler.slice(at + 1) };
};

/**
 * The code of a function with its environment: the template's variables and those that Lambda sets.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 *
 * @param folder - content of its zip
 * @throws StartError for a handler that is not there
 */
export const toVersion = (
  deployed: DeployedFunction,
  { folder, region, keys }: { readonly folder: string; readonly region: string; readonly keys: Keys },
): FunctionVersion => {
  const { key, handler, runtime, timeoutMs, variables } = deployed;
  const identity = identifyFunction(deployed);
  return {
    key,
    ...findHandler(deployed, folder),
    timeoutMs,
    identity,
    environment: {
      ...variables,
      _HANDLER: handler,
      LAMBDA_TASK_ROOT: folder,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
      AWS_LAMBDA_FUNCTION_NAME: identity.functionName,
      AWS_LAMBDA_FUNCTION_VERSION: identity.functionVersion,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: identity.memoryLimitInMB,
      AWS_LAMBDA_LOG_GROUP_NAME: identity.logGroupName,
      AWS_LAMBDA_LOG_STREAM_NAME: identity.logStreamName,
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_SESSION_TOKEN: keys.sessionToken ?? '',
    },
  };
};

/** The environment of Lambda's runtime before a function is loaded. @param sdkFolder - folder of the SDK that it includes */
export const runtimeEnvironment = (sdkFolder: string): Readonly<Record<string, string>> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  NODE_PATH: sdkFolder,
});
