import { ordersApiKey, readServiceInfo } from '../cli/local-service.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { connect } from '../cli/target.ts';
import { type Backend, createLocalEnvironment, startBackend } from './backend.ts';
import { createLocalFunctions, type LocalEnvironment } from './functions/local-functions.ts';
import { readServiceFile } from './functions/service-file.ts';
import { createSourceModules } from './functions/source-modules.ts';
import { ONE_PROCESS } from './limits.ts';
import { createProcessPool } from './pool/process-pool.ts';
import { noSpareSandbox } from './pool/spare-sandbox.ts';
import { seedSamples } from './samples/seed.ts';

/**
 * Gives one `serverless invoke local` what it needs of AWS: that of the local service when it is up, otherwise an
 * embedded store with the samples and an engine, for the time of the call.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  readonly environment: Record<string, string | undefined>;
}): Promise<{ stop(): Promise<void> }> => {
  const { tablePrefix, environment } = settings;
  const service = readServiceInfo();
  if (service !== null) {
    apply(environment, createLocalEnvironment(tablePrefix, service, service.baseUrl));
    return { stop: async () => {} };
  }

  const { promise, resolve } = Promise.withResolvers<LocalEnvironment>();
  const { functions: definitions } = readServiceFile(projectFolder());
  const modules = createSourceModules(projectFolder());
  const pool = createProcessPool({
    processes: ONE_PROCESS,
    functions: createLocalFunctions({ definitions, modules, environment: promise }),
    spare: noSpareSandbox,
  });
  const log = (line: string) => console.error(line);
  const backend: Backend = await startBackend({ tablePrefix, dataFolder: undefined, pool, log });
  const local = createLocalEnvironment(tablePrefix, backend, 'http://localhost:3000');
  apply(environment, local);
  resolve(local);
  const stores = connect({ ...backend, tablePrefix });
  await seedSamples(stores, ordersApiKey());
  stores.close();
  return {
    stop: async () => {
      const stopped = backend.stop();
      await pool.stop();
      await stopped;
    },
  };
};

const apply = (
  environment: Record<string, string | undefined>,
  { initial, fixed }: LocalEnvironment,
): void => {
  Object.assign(environment, initial, fixed);
};
