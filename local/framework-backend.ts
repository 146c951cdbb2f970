import { ordersApiKey } from '../cli/local-service.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { connect } from '../cli/target.ts';
import { type Backend, createLocalEnvironment, startBackend } from './backend.ts';
import { createLocalFunctions, type LocalEnvironment } from './functions/local-functions.ts';
import { readServiceFile } from './functions/service-file.ts';
import { createSourceModules } from './functions/source-modules.ts';
import { createProcessPool } from './pool/process-pool.ts';
import type { SlotCounts } from './pool/slots.ts';
import type { SpareSandbox } from './pool/spare-sandbox.ts';
import { type SeededSample, seedSamples } from './samples/seed.ts';

/** The backend of a command of the Serverless Framework, which runs the functions itself. */
export interface FrameworkBackend extends Backend {
  /** For the framework's functions. */
  readonly environment: LocalEnvironment;
  readonly apiKey: string;
  readonly samples: readonly SeededSample[];
}

/** Starts the stores, with the samples, and the engine, with the functions of background runs. */
export const startFrameworkBackend = async (settings: {
  readonly tablePrefix: string;
  readonly baseUrl: string;
  readonly dataFolder: string | undefined;
  readonly processes: SlotCounts;
  readonly spare: SpareSandbox;
  /** Adapts the environment for background runs. */
  readonly forRuns?: (environment: LocalEnvironment) => LocalEnvironment;
  readonly log: (line: string) => void;
}): Promise<FrameworkBackend> => {
  const { tablePrefix, baseUrl, dataFolder, processes, spare, forRuns = (same) => same, log } = settings;
  const runEnvironment = Promise.withResolvers<LocalEnvironment>();
  const pool = createProcessPool({
    processes,
    functions: createLocalFunctions({
      definitions: readServiceFile(projectFolder()).functions,
      modules: createSourceModules(projectFolder()),
      environment: runEnvironment.promise,
    }),
    spare,
  });
  const backend = await startBackend({ tablePrefix, dataFolder, pool, log });
  const environment = createLocalEnvironment(tablePrefix, backend, baseUrl);
  runEnvironment.resolve(forRuns(environment));

  const target = connect({ ...backend, tablePrefix });
  const apiKey = ordersApiKey();
  const samples = await seedSamples(target, apiKey);
  target.close();
  return {
    ...backend,
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
