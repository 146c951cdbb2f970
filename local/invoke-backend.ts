import { readServiceInfo } from '../cli/local/local-service.ts';
import { createLocalEnvironment } from './backend.ts';
import { startFrameworkBackend } from './framework-backend.ts';
import { ONE_PROCESS } from './limits.ts';
import { noSpareSandbox } from './pool/spare-sandbox.ts';

/**
 * Completes the environment of the function of `serverless invoke local`: with the running local service as its
 * backend, otherwise with a backend in memory for the time of the command.
 */
export const connectInvocation = async (settings: {
  readonly tablePrefix: string;
  readonly environment: Record<string, string | undefined>;
}): Promise<{ stop(): Promise<void> }> => {
  const { tablePrefix, environment } = settings;
  const service = readServiceInfo();
  if (service !== null) {
    const { initial, fixed } = createLocalEnvironment(tablePrefix, service, service.baseUrl);
    Object.assign(environment, initial, fixed);
    return { stop: async () => {} };
  }
  const backend = await startFrameworkBackend({
    tablePrefix,
    baseUrl: 'http://localhost:3000',
    dataFolder: undefined,
    processes: ONE_PROCESS,
    spare: noSpareSandbox,
    log: (line) => console.error(line),
  });
  Object.assign(environment, backend.environment.initial, backend.environment.fixed);
  return backend;
};
