import type { FunctionVersion } from '../pool/messages.ts';
import type { FunctionSource } from '../pool/process-pool.ts';
import { createResolveEnvironment, type LocalEnvironment } from './function-environment.ts';
import type { FunctionDefinition } from './service-file.ts';

/** Finds the code of modules. */
export interface ModuleSource {
  /** The newest file of a module; waits for a build. */
  find(module: string): Promise<string>;
  current(module: string): string | null;
}

/** The source of the functions' newest versions for a process pool. */
export const createLocalFunctions = (parts: {
  readonly definitions: readonly FunctionDefinition[];
  readonly modules: ModuleSource;
  /** Resolves when the backend is up. */
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
