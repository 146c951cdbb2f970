import { join } from 'node:path';
import { ordersApiKey } from '../cli/local/local-service.ts';
import { projectFolder } from '../cli/local/project-folder.ts';
import { connect } from '../cli/target.ts';
import { createLocalEnvironment, startBackend } from './backend.ts';
import { createResolveEnvironment, type LocalEnvironment } from './functions/function-environment.ts';
import { createLocalFunctions, type ModuleSource } from './functions/local-functions.ts';
import { readServiceFile } from './functions/service-file.ts';
import { createProcessPool } from './pool/process-pool.ts';
import type { SlotCounts } from './pool/slots.ts';
import type { SpareSandbox } from './pool/spare-sandbox.ts';
import { seedSamples } from './samples/seed.ts';

/**
 * Resolves the variables of all functions, by their keys in serverless.yml, for a framework that runs them itself.
 *
 * @param inherited - wins over serverless.yml, and is the functions' as well
 */
export const resolveEnvironments = (
  local: LocalEnvironment,
  inherited: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, Record<string, string | undefined>>> => {
  const { functions } = readServiceFile(projectFolder());
  const resolve = createResolveEnvironment(functions);
  return Object.fromEntries(
    functions.map((definition) => [
      definition.key,
      // The process is the framework's.
      { ...inherited, ...resolve(definition, local, inherited), OWN_PROCESS: '' },
    ]),
  );
};

/**
 * Starts the backend of a command of the Serverless Framework, which runs the functions itself: the stores with the
 * samples, and the engine with a pool for background runs.
 */
export const startFrameworkBackend = async (settings: {
  readonly tablePrefix: string;
  readonly baseUrl: string;
  readonly dataFolder: string | undefined;
  readonly processes: SlotCounts;
  readonly spare: SpareSandbox;
  /** Further variables of background runs. */
  readonly runVariables?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}) => {
  const { tablePrefix, baseUrl, dataFolder, processes, spare, runVariables, log } = settings;
  const { functions: definitions } = readServiceFile(projectFolder());
  const runEnvironment = Promise.withResolvers<LocalEnvironment>();
  const pool = createProcessPool({
    processes,
    functions: createLocalFunctions({
      definitions,
      modules: createSourceModules(projectFolder()),
      environment: runEnvironment.promise,
    }),
    spare,
  });
  const backend = await startBackend({ tablePrefix, dataFolder, pool, log });
  const environment = createLocalEnvironment(backend.endpoints, baseUrl);
  runEnvironment.resolve({ ...environment, fixed: { ...environment.fixed, ...runVariables } });

  const target = connect({ ...backend.endpoints, tablePrefix });
  const apiKey = ordersApiKey();
  const samples = await seedSamples(target, apiKey);
  target.close();
  return {
    endpoints: backend.endpoints,
    environment,
    apiKey,
    samples,
    stop: async () => {
      const stopped = backend.stop(); // before the pool, so that it starts no further runs
      await Promise.all([pool.stop(), spare.stop()]);
      await stopped;
    },
  };
};

/** Modules from their sources, whose types Node strips: without builds, and without reloading. */
export const createSourceModules = (folder: string): ModuleSource => {
  const fileOf = (module: string): string => join(folder, `${module}.ts`);
  return { find: async (module) => fileOf(module), current: fileOf };
};
