import { registerService } from '../cli/local/local-service.ts';
import { resolveEnvironments, startFrameworkBackend } from './framework-backend.ts';
import { BACKGROUND_PROCESSES } from './limits.ts';
import { createSpareSandbox } from './pool/spare-sandbox.ts';
import { checkPort, findFreePort } from './ports.ts';
import { startupMessage } from './startup-message.ts';

/** The backend of `serverless offline`, which the command line can reach, too. */
export const startOfflineBackend = async (settings: {
  readonly tablePrefix: string;
  readonly port: unknown;
  readonly dataFolder: string | undefined;
}) => {
  const { tablePrefix, dataFolder } = settings;
  const port = await checkPort(settings.port);
  const baseUrl = `http://localhost:${port}`;
  const backend = await startFrameworkBackend({
    tablePrefix,
    baseUrl,
    dataFolder,
    processes: BACKGROUND_PROCESSES,
    spare: createSpareSandbox(),
    runVariables: { PRINT_CALLBACKS: '1' },
    log: (line) => console.log(line),
  });
  const registration = await registerService({
    pid: process.pid,
    baseUrl,
    tablePrefix,
    ...backend.endpoints,
  });
  process.once('exit', registration.release);
  return {
    port,
    environments: resolveEnvironments(backend.environment, process.env),
    lambdaPort: await findFreePort(),
    startupMessage: startupMessage({ ...backend, baseUrl, first: registration.first }),
    stop: backend.stop,
  };
};
