import type { FunctionDefinition } from './service-file.ts';

/**
 * Variables that exist on this machine alone: endpoints and folders of what stands in for AWS. Optional in lib/app/config.ts,
 * and in no function of a deployment.
 */
export const LOCAL_VARIABLES = [
  'DYNAMODB_ENDPOINT',
  'AWS_ENDPOINT_URL_LAMBDA',
  'SOURCES_ENDPOINT',
  'BLOB_FOLDER',
  'UPLOAD_ENDPOINT',
  'SECRETS_FOLDER',
  'PRINT_CALLBACKS',
] as const;

/** Environment variables with a value of this machine. */
export interface LocalEnvironment {
  /** Win over serverless.yml and the environment of the service. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Win over serverless.yml alone. */
  readonly initial: Readonly<Record<string, string>>;
}

/** Variables of serverless.yml that the environment of the service cannot change. */
const DEPLOYMENT_VARIABLES = new Set(['STAGE', 'SERVICE_VERSION', 'TABLE_PREFIX']);

/**
 * Resolves the variables of functions. What serverless.yml gives to some functions alone, no other function gets here
 * either: a function that lacks a variable in AWS lacks it on this machine.
 *
 * @returns by a function's definition, the variables that its process gets beside those of the service
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
