import { ordersApiKey, registerService } from '../cli/local-service.ts';
import { projectFolder } from '../cli/project-folder.ts';
import { connect } from '../cli/target.ts';
import { announce } from './announce.ts';
import { createLocalEnvironment, startBackend } from './backend.ts';
import { createLocalFunctions } from './functions/local-functions.ts';
import { readServiceFile } from './functions/service-file.ts';
import { createSourceModules } from './functions/source-modules.ts';
import { BACKGROUND_PROCESSES } from './limits.ts';
import { createProcessPool } from './pool/process-pool.ts';
import { createSpareSandbox } from './pool/spare-sandbox.ts';
import { claimPort, findFreePort } from './ports.ts';
import { seedSamples } from './samples/seed.ts';

export interface GatewayBackend {
  readonly port: number;
  readonly lambdaPort: number;
  /** Prints where the service is and what to try. */
  announce(): void;
  stop(): Promise<void>;
}

/** What stands behind `serverless offline`: the stores, the engine for background runs, the samples. */
export const startGatewayBackend = async (settings: {
  readonly tablePrefix: string;
  readonly port: unknown;
  readonly dataFolder: string | undefined;
  /** The environment of the functions; gets what they need to find everything. */
  readonly environment: Record<string, string>;
}): Promise<GatewayBackend> => {
  const { tablePrefix } = settings;
  const port = await claimPort(settings.port);
  const baseUrl = `http://localhost:${port}`;
  const { promise: environment, resolve } =
    Promise.withResolvers<ReturnType<typeof createLocalEnvironment>>();
  const { functions: definitions } = readServiceFile(projectFolder());
  const spare = createSpareSandbox();
  const pool = createProcessPool({
    processes: BACKGROUND_PROCESSES,
    functions: createLocalFunctions({
      definitions,
      modules: createSourceModules(projectFolder()),
      environment,
    }),
    spare,
  });
  const backend = await startBackend({
    tablePrefix,
    dataFolder: settings.dataFolder,
    pool,
    log: (line) => console.log(line),
  });
  const local = createLocalEnvironment(tablePrefix, backend, baseUrl);
  // Background runs print more: theirs is the terminal.
  resolve({ ...local, fixed: { ...local.fixed, PRINT_CALLBACKS: '1' } });
  // The framework's process is every function's.
  Object.assign(settings.environment, local.initial, process.env, local.fixed, { OWN_PROCESS: '' });

  const target = connect({ ...backend, tablePrefix });
  const apiKey = ordersApiKey();
  const samples = await seedSamples(target, apiKey);
  target.close();
  const registration = await registerService({ pid: process.pid, baseUrl, tablePrefix, ...backend });
  process.once('exit', registration.release);

  return {
    port,
    lambdaPort: await findFreePort(),
    announce: () => process.stdout.write(announce({ baseUrl, apiKey, samples, first: registration.first })),
    stop: async () => {
      const stopped = backend.stop();
      await Promise.all([pool.stop(), spare.stop()]);
      await stopped;
    },
  };
};
