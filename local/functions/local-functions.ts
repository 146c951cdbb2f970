import type { FunctionVersion } from '../pool/messages.ts';
import type { FunctionSource } from '../pool/process-pool.ts';
import type { FunctionDefinition } from './service-file.ts';

/** Where the code of modules is. */
export interface ModuleSource {
  /** The newest file of it, as soon as it is there. */
  find(module: string): Promise<string>;
  current(module: string): string | null;
}

/** What a function on this machine finds in its environment. */
export interface LocalEnvironment {
  /** Whatever serverless.yml and the environment of the service say. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Unless the environment of the service says otherwise. */
  readonly initial: Readonly<Record<string, string>>;
}

/** Variables that serverless.yml sets and users must not change: they hold together what is deployed. */
const OF_THE_DEPLOYMENT = new Set(['STAGE', 'SERVICE_VERSION', 'TABLE_PREFIX']);

/**
 * The variables that are put into the environment of a function's process, which has those of the service already:
 * these win over what serverless.yml says.
 */
const resolveEnvironment = (
  { environment }: FunctionDefinition,
  { fixed, initial }: LocalEnvironment,
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> => {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...environment, ...initial })) {
    const isInherited = inherited[name] !== undefined && !OF_THE_DEPLOYMENT.has(name);
    if (value !== undefined && !isInherited) variables[name] = value;
  }
  return { ...variables, ...fixed };
};

/** The functions of serverless.yml as they run on this machine. */
export const createLocalFunctions = (parts: {
  readonly definitions: readonly FunctionDefinition[];
  readonly modules: ModuleSource;
  /** Known when what stands behind the functions is up. */
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
