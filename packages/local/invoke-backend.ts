import { join } from 'node:path';
import { createProcessPool, noSpareSandbox, ONE_PROCESS } from 'lambda-stage/pool';
import { ordersApiKey, readServiceInfo } from '../cli/local/local-service.ts';
import { projectFolder } from '../cli/local/project-folder.ts';
import { createLocalEnvironment, startBackend } from './backend.ts';
import {
  createLocalFunctions,
  createResolveEnvironment,
  type LocalEnvironment,
  type ModuleSource,
} from './functions/local-functions.ts';
import { readServiceFile } from './functions/service-file.ts';
import { openSampleStores } from './samples/sample-stores.ts';
import { seedSamples } from './samples/seed.ts';

interface Connected {
  readonly environment: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
}

/**
 * Resolves the environment of a function for `serverless invoke local`: its backend is the running local service, or else
 * one in memory for the duration of the command.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  /** The function's key in serverless.yml. */
  readonly functionKey: string;
}): Promise<Connected> => {
  const { tablePrefix, functionKey } = settings;
  const service = readServiceInfo();
  if (service === null) return startInMemory(tablePrefix, functionKey);
  const local = createLocalEnvironment(service, service.baseUrl);
  return { environment: resolveEnvironment(functionKey, local), stop: async () => {} };
};

const resolveEnvironment = (functionKey: string, local: LocalEnvironment): Connected['environment'] => {
  const { functions } = readServiceFile(projectFolder());
  const definition = functions.find(({ key }) => key === functionKey);
  if (definition === undefined) return {};
  // This is the framework's process.
  return { ...createResolveEnvironment(functions)(definition, local), OWN_PROCESS: '' };
};

/** The stores with the samples, and the engine with a process for background runs. */
const startInMemory = async (tablePrefix: string, functionKey: string): Promise<Connected> => {
  const { functions: definitions } = readServiceFile(projectFolder());
  const runEnvironment = Promise.withResolvers<LocalEnvironment>();
  const pool = createProcessPool({
    processes: ONE_PROCESS,
    functions: createLocalFunctions({
      definitions,
      modules: createSourceModules(projectFolder()),
      environment: runEnvironment.promise,
    }),
    spare: noSpareSandbox,
  });
  const log = (line: string): void => console.error(line);
  const backend = await startBackend({ tablePrefix, dataFolder: undefined, pool, log });
  const environment = createLocalEnvironment(backend.endpoints, 'http://localhost:3000');
  runEnvironment.resolve(environment);
  const target = openSampleStores({ ...backend.endpoints, tablePrefix });
  await seedSamples(target, ordersApiKey());
  return {
    environment: resolveEnvironment(functionKey, environment),
    stop: async () => {
      const stopped = backend.stop(); // before the pool, so that it starts no further runs
      await pool.stop();
      await stopped;
    },
  };
};

/** Modules loaded from source, whose types Node strips: no builds and no reloading. */
export const createSourceModules = (folder: string): ModuleSource => {
  const fileOf = (module: string): string => join(folder, `${module}.ts`);
  return { find: async (module) => fileOf(module), current: fileOf };
};
