import type { FunctionSource, FunctionVersion } from 'lambda-stage/pool';
import type { FunctionDefinition } from './service-file.ts';

export interface ModuleSource {
  /** The newest file of a module; waits for a build. */
  find(module: string): Promise<string>;
  current(module: string): string | null;
}

/** The source of the functions' newest versions for a process pool. */
export const createLocalFunctions = (parts: {
  readonly definitions: readonly FunctionDefinition[];
  readonly modules: ModuleSource;
  /** The environment, known when the backend is up. */
  readonly environment: Promise<LocalEnvironment>;
  readonly inherited?: Readonly<Record<string, string | undefined>>;
}): FunctionSource => {
  const { modules, environment, inherited = process.env } = parts;
  const resolveEnvironment = createResolveEnvironment(parts.definitions);
  const definitions = new Map(parts.definitions.map((definition) => [definition.key, definition]));

  return {
    find: async (key): Promise<FunctionVersion> => {
      const definition = definitions.get(key);
      if (definition === undefined) throw new Error(`there is no function ${key} in serverless.yml`);
      const [file, local] = await Promise.all([modules.find(definition.module), environment]);
      return {
        key,
        file,
        exportName: definition.exportName,
        environment: resolveEnvironment(definition, local, inherited),
        timeoutMs: definition.timeoutSeconds * 1_000,
      };
    },
    isCurrent: ({ key, file }) => modules.current(definitions.get(key)?.module ?? '') === file,
  };
};

/**
 * Variables that exist only on this machine: endpoints and folders of the stand-ins for AWS. Optional in lib/app/config.ts
 * and never set in a deployment.
 */
export const LOCAL_VARIABLES = [
  'DYNAMODB_ENDPOINT',
  'AWS_ENDPOINT_URL_LAMBDA',
  'SOURCES_ENDPOINT',
  'BLOB_FOLDER',
  'UPLOAD_ENDPOINT',
  'SECRETS_FOLDER',
  'PRINT_CALLBACKS',
  'PRINT_NOTICES',
] as const;

/** Environment variables with values for this machine. */
export interface LocalEnvironment {
  /** Variables that override those of serverless.yml and of the service's environment. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Variables that override only those of serverless.yml. */
  readonly initial: Readonly<Record<string, string>>;
}

/** Variables of serverless.yml that the service's environment can't override. */
const DEPLOYMENT_VARIABLES = new Set(['STAGE', 'SERVICE_VERSION', 'TABLE_PREFIX']);

/**
 * Resolves the variables of functions. Variables that serverless.yml sets only for some functions are not set for others
 * here: a function that lacks a variable in AWS lacks it on this machine.
 *
 * @returns the variables that a function's process gets in addition to the service's, by its definition
 */
export const createResolveEnvironment = (definitions: readonly FunctionDefinition[]) => {
  const given = new Set(definitions.flatMap(({ environment }) => Object.keys(environment)));
  return (
    { environment }: Pick<FunctionDefinition, 'environment'>,
    { fixed, initial }: LocalEnvironment,
    inherited: Readonly<Record<string, string | undefined>> = {},
  ): Record<string, string> => {
    const variables: Record<string, string> = {};
    const isFor = (name: string) => Object.hasOwn(environment, name) || !given.has(name);
    for (const [name, value] of Object.entries({ ...environment, ...initial })) {
      const isInherited = inherited[name] !== undefined && !DEPLOYMENT_VARIABLES.has(name);
      if (value !== undefined && !isInherited && isFor(name)) variables[name] = value;
    }
    for (const [name, value] of Object.entries(fixed)) if (isFor(name)) variables[name] = value;
    return variables;
  };
};
