import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StartError } from 'lambda-stage/database';
import { createRouter, type Gateway, startGateway } from 'lambda-stage/gateway';
import { OPTIONAL_FUNCTIONS } from '../../lib/health/ping.ts';
import {
  type LocalServiceInfo,
  ordersApiKey,
  type Registration,
  registerService,
} from '../cli/local/local-service.ts';
import {
  homeFolder,
  isInstalled,
  programName,
  projectFolder,
  workflowsFolder,
} from '../cli/local/project-folder.ts';
import { CONSOLE_PATH } from '../console/console-settings.ts';
import { LOCAL_PROBLEMS } from '../console/serve/local-requests.ts';
import { type Backend, createLocalEnvironment, startBackend } from './backend.ts';
import type { LocalEnvironment } from './functions/local-functions.ts';
import { type FunctionDefinition, readServiceFile, type ServiceFile } from './functions/service-file.ts';
import { createLocalConsole } from './gateway/local-console.ts';
import { type LiveCode, openLiveCode } from './live-code.ts';
import { saveWorkflowFile } from './samples/save-workflow-file.ts';
import type { SeededSample } from './samples/seed.ts';
import { type CallSamples, createWorkflowFiles, type WorkflowFiles } from './samples/watch-workflows.ts';
import { toPortError } from './start-up.ts';

export interface LocalService {
  readonly startupMessage: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Port of the service; 0 uses any free port. */
  readonly port: number;
  /** Folder of the data; if absent, the data is in memory or removed at the end. */
  readonly dataFolder: string | undefined;
  /** The URL to which traces are sent; none if absent. */
  readonly traces?: string | undefined;
  readonly log: (line: string) => void;
}

/** An additional function that is not in serverless.yml, built and run like those. */
const samplesFunction = ({ tablePrefix }: ServiceFile): FunctionDefinition => ({
  key: 'localSamples',
  module: 'packages/local/samples/samples-function',
  exportName: 'handler',
  timeoutSeconds: 30,
  environment: { TABLE_PREFIX: tablePrefix },
});

/**
 * Starts the whole service on this machine: the gateway, the functions as bundles in their own processes, an
 * embedded DynamoDB and an engine for background runs. Edits of code and of workflow files apply while it runs.
 * @throws StartError when the port or the data folder is in use, or the code can't be built
 */
export const startService = async (options: ServiceOptions): Promise<LocalService> => {
  const parts: Parts = {};
  try {
    return { startupMessage: await startWith(options, parts), stop: () => stopParts(parts) };
  } catch (error) {
    await stopParts(parts);
    throw error;
  }
};

/** What has been started so far. */
interface Parts {
  code?: LiveCode;
  gateway?: Gateway;
  backend?: Backend;
  files?: WorkflowFiles;
  registration?: Registration;
}

const stopParts = async ({ code, gateway, backend, files, registration }: Parts): Promise<void> => {
  code?.stopWatching();
  files?.close();
  registration?.release();
  await gateway?.stop(); // after pending requests
  const stopped = backend?.stop(); // before the pools, so that it starts no further runs
  await code?.stop();
  await stopped;
};

/** @returns the startup message */
const startWith = async (
  { port, dataFolder, traces, log }: ServiceOptions,
  parts: Parts,
): Promise<string> => {
  const folder = projectFolder();
  const file = readServiceFile(folder);
  const { tablePrefix } = file;
  const home = homeFolder();
  const workflows = workflowsFolder();
  const samplesDefinition = samplesFunction(file);
  const environment = Promise.withResolvers<LocalEnvironment>();
  const code = await openLiveCode({
    folder,
    home,
    file,
    definitions: [...file.functions, samplesDefinition],
    environment: environment.promise,
    log,
  });
  parts.code = code;
  const { requests, background } = code;
  const stored = Promise.withResolvers<void>();
  parts.gateway = await startGateway({
    port,
    findRoute: createRouter(file.routes),
    problemTypes: LOCAL_PROBLEMS,
    answerOwn: createLocalConsole(join(home, '.hookloom/console')),
    invoke: async (functionKey, event, signal) => {
      await stored.promise; // without the samples, a request would be answered 404
      const result = await requests.invoke({ functionKey, event, requestId: randomUUID(), signal });
      const { files } = parts;
      return files === undefined
        ? result
        : saveWorkflowFile(event, result, { folder: workflows, files, log });
    },
    log,
  }).catch((error: unknown) => Promise.reject(toPortError(error, port)));
  const baseUrl = `http://localhost:${parts.gateway.port}`;

  code.prepare(samplesDefinition.key); // while the tables are created
  const backend = await startBackend({
    tablePrefix,
    dataFolder,
    pool: background,
    streams: file.streams.filter(
      ({ functionKey }) => traces !== undefined || !OPTIONAL_FUNCTIONS.includes(functionKey),
    ),
    log,
  });
  parts.backend = backend;
  const local = createLocalEnvironment(backend.endpoints, baseUrl);
  environment.resolve({
    ...local,
    fixed: { ...local.fixed, PRINT_CALLBACKS: '1', PRINT_NOTICES: baseUrl, TRACES: traces ?? '' },
  });

  const call = ((event) =>
    requests.invoke({ functionKey: samplesDefinition.key, event, requestId: randomUUID() })) as CallSamples;
  const apiKey = home === folder ? ordersApiKey() : null; // of a sample
  const [samples] = await Promise.all([
    call<'seed'>({ action: 'seed', folder: workflows, ordersApiKey: apiKey }),
    code.prewarm(),
  ]).catch((error: Error) => {
    throw new StartError(`The samples can't be stored: ${error.message}`, { cause: error });
  });
  stored.resolve();
  backend.resume(); // now, since many runs would slow down the samples, which have a time limit
  const registration = await registerService({
    pid: process.pid,
    baseUrl,
    tablePrefix,
    ...backend.endpoints,
  });
  parts.registration = registration;
  process.once('exit', registration.release);
  parts.files = createWorkflowFiles({ folder: workflows, seeded: samples, call, log });
  code.watchWorkflows(parts.files);
  return startupMessage({ baseUrl, apiKey, samples, first: registration.first });
};

/** The message of a started service: its address, commands to paste into another terminal, problems of the samples. */
const startupMessage = (service: {
  readonly baseUrl: string;
  /** Of the sample `orders`; null in a user's folder. */
  readonly apiKey: string | null;
  readonly samples: readonly SeededSample[];
  /** An earlier service of this folder that is still running. */
  readonly first: LocalServiceInfo | null;
}): string => {
  const { baseUrl, samples, first } = service;
  const names = samples.flatMap((sample) => ('isOther' in sample ? [sample.id] : []));
  const shown = names.length === 0 ? 'no workflow' : `the workflows ${names.join(', ')}`;
  return `
Hookloom is running at ${baseUrl}, with ${shown}.
Its console: ${baseUrl}${CONSOLE_PATH}. Paste these into another terminal:

${toCommands(service)}
${samples.map(describeSample).join('')}${first === null ? '' : describeFirst(first, baseUrl)}
Edit workflows/ or ${isInstalled() ? 'plugins/' : 'the code'}: the next request runs it. There is no IAM here: admin routes are open to programs on this machine. Press Ctrl+C to stop.
`;
};

/** Calls of the samples that the folder has. */
const toCommands = ({
  baseUrl,
  apiKey,
  samples,
}: Readonly<{ baseUrl: string; apiKey: string | null; samples: readonly SeededSample[] }>): string => {
  const json = "-H 'content-type: application/json'";
  const calls: readonly (readonly [id: string, call: string])[] = [
    ['hello', `hello/webhook ${json} -d '{"name":"Ada"}'`],
    ...(apiKey === null
      ? []
      : [
          [
            'orders',
            `orders/orders -H 'x-api-key: ${apiKey}' ${json} -d '{"id":"A-1","total":120}'`,
          ] as const,
        ]),
    ['approval', `approval/approval ${json} -d '{"what":"The party"}'`],
  ];
  const ids = new Set(samples.flatMap((sample) => ('isOther' in sample ? [sample.id] : [])));
  return [
    ...calls.filter(([id]) => ids.has(id)).map(([, call]) => `curl -s ${baseUrl}/api/webhook/${call}`),
    `curl -s ${baseUrl}/api/admin/plugins/health`,
    `${programName()} execution list`,
  ]
    .map((command) => `  ${command}`)
    .join('\n');
};

const describeSample = (sample: SeededSample): string => {
  if ('problem' in sample) return `\nworkflows/${sample.name} was not stored:\n${sample.problem}`;
  const lines = sample.warnings.map((warning) => `\nworkflows/${sample.name}: ${warning}`);
  if (sample.isOther) {
    lines.push(`\nThe stored version of ${sample.id} differs from its file in workflows/ and is kept.`);
  }
  return lines.join('');
};

const describeFirst = ({ baseUrl, pid }: LocalServiceInfo, own: string): string => `
The command line uses the service that was started first, at ${baseUrl} (process ${pid}).
For this one: HOOKLOOM_PORT=${new URL(own).port} ${programName()} …
`;
