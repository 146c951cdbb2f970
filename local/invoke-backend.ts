import { readServiceInfo } from '../cli/local/local-service.ts';
import { createLocalEnvironment } from './backend.ts';
import { resolveEnvironments, startFrameworkBackend } from './framework-backend.ts';
import { ONE_PROCESS } from './limits.ts';
import { noSpareSandbox } from './pool/spare-sandbox.ts';

/**
 * Resolves the environment of the function of `serverless invoke local`: with the running local service as its backend,
 * otherwise with a backend in memory for the time of the command.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  /** The function's key in serverless.yml. */
  readonly functionKey: string;
}): Promise<{
  readonly environment: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
}> => {
  const { tablePrefix, functionKey } = settings;
  const service = readServiceInfo();
  if (service !== null) {
    const environments = resolveEnvironments(createLocalEnvironment(service, service.baseUrl));
    return { environment: environments[functionKey] ?? {}, stop: async () => {} };
  }
  const backend = await startFrameworkBackend({
    tablePrefix,
    baseUrl: 'http://localhost:3000',
    dataFolder: undefined,
    processes: ONE_PROCESS,
    spare: noSpareSandbox,
    log: (line) => console.error(line),
  });
  return { environment: resolveEnvironments(backend.environment)[functionKey] ?? {}, stop: backend.stop };
};
