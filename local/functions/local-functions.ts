import type { FunctionVersion } from '../pool/messages.ts';
import type { FunctionSource } from '../pool/process-pool.ts';
import type { FunctionDefinition } from './service-file.ts';

/** Finds the code of modules. */
export interface ModuleSource {
  /** The newest file of a module; waits for a build. */
  find(module: string): Promise<string>;
  current(module: string): string | null;
}

/** Environment variables that the local service sets for functions. */
export interface LocalEnvironment {
  /** Win over serverless.yml and the environment of the service. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Win over serverless.yml alone. */
  readonly initial: Readonly<Record<string, string>>;
}

/** Variables of serverless.yml that the environment of the service cannot change. */
const DEPLOYMENT_VARIABLES = new Set(['STAGE', 'SERVICE_VERSION', 'TABLE_PREFIX']);

/** The variables that a function's process gets beside those of the service, which win over serverless.yml. */
const resolveEnvironment = (
  { environment }: FunctionDefinition,
  { fixed, initial }: LocalEnvironment,
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> => {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...environment, ...initial })) {
    const isInherited = inherited[name] !== undefined && !DEPLOYMENT_VARIABLES.has(name);
    if (value !== undefined && !isInherited) variables[name] = value;
  }
  return { ...variables, ...fixed };
};

/** The source of the functions' newest versions for a process pool. */
export const createLocalFunctions = (parts: {
  readonly definitions: readonly FunctionDefinition[];
  readonly modules: ModuleSource;
  /** Resolves when the backend is up. */
  readonly environment: Promise<LocalEnvironment>;
  readonly inherited?: Readonly<Record<string, string | undefined>>;
}): FunctionSource => {
  const { modules, environment, inherited = process.env } = parts;
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
