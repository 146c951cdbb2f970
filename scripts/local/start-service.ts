import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { announce } from './announce.ts';
import { createLocalEnvironment, startBackend } from './backend.ts';
import { bundleFile, createBundler } from './functions/bundler.ts';
import { createLocalFunctions, type LocalEnvironment } from './functions/local-functions.ts';
import { type FunctionDefinition, readServiceFile, type ServiceFile } from './functions/service-file.ts';
import { watchTree } from './functions/watch-tree.ts';
import { startGateway } from './gateway/gateway.ts';
import { createRouter } from './gateway/routes.ts';
import { BACKGROUND_PROCESSES, REQUEST_PROCESSES } from './limits.ts';
import { createProcessPool } from './pool/process-pool.ts';
import { PROCESS_FILE } from './pool/sandbox.ts';
import { createSpareSandbox } from './pool/spare-sandbox.ts';
import { toPortError } from './ports.ts';
import { projectFolder, sampleWorkflowsFolder } from './project.ts';
import { ordersApiKey, registerService } from './state-folder.ts';
import { type CallSamples, createWorkflowFiles, type WorkflowFiles } from './watch-workflows.ts';

export interface LocalService {
  /** What to print once it is up. */
  readonly announcement: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** Where everything is kept; in memory, or gone at the end, when absent. */
  readonly dataFolder: string | undefined;
  readonly log: (line: string) => void;
}

/** Folders of code that is bundled. */
const CODE_FOLDERS = ['functions', 'lib', 'plugins'];
const WORKFLOWS = 'workflows';
const SERVICE_FILE = 'serverless.yml';

/** The start, and the samples, go by this one: it is built first. */
const WEBHOOK = 'webhook';

/** Not of serverless.yml, but run like those that are. */
const samplesFunction = ({ tablePrefix }: ServiceFile): FunctionDefinition => ({
  key: 'localSamples',
  module: 'scripts/local/samples-function',
  exportName: 'handler',
  timeoutSeconds: 30,
  environment: { TABLE_PREFIX: tablePrefix },
});

/**
 * The whole service on this machine: the gateway, the functions as bundles in processes of their own, an embedded
 * DynamoDB and an engine for background runs. Edits of code and of workflow files are taken over while it runs.
 * @throws {StartError} when the port or the data folder can't be had
 */
export const startService = async ({ port, dataFolder, log }: ServiceOptions): Promise<LocalService> => {
  const folder = projectFolder();
  const file = readServiceFile(folder);
  const { tablePrefix } = file;
  const environment = Promise.withResolvers<LocalEnvironment>();
  const code = await createCode(file, folder, environment.promise, log);
  const { requests, background } = code;

  const gateway = await startGateway({
    port,
    findRoute: createRouter(file.routes),
    invoke: (functionKey, event, signal) =>
      requests.invoke({ functionKey, event, requestId: randomUUID(), signal }),
    log,
  }).catch((error: unknown) => code.stop().then(() => Promise.reject(toPortError(error, port))));
  const baseUrl = `http://localhost:${gateway.port}`;

  // What the first requests need, side by side: the bundles, a process, the tables.
  code.prepare();
  const backend = await startBackend({ tablePrefix, dataFolder, pool: background, log }).catch(
    async (error: unknown) => {
      await Promise.all([gateway.stop(0), code.stop()]);
      throw error;
    },
  );
  const local = createLocalEnvironment(tablePrefix, backend, baseUrl);
  environment.resolve({ ...local, fixed: { ...local.fixed, PRINT_CALLBACKS: '1' } });

  const call = ((event) =>
    requests.invoke({ functionKey: 'localSamples', event, requestId: randomUUID() })) as CallSamples;
  const apiKey = ordersApiKey();
  const [registration, samples] = await Promise.all([
    registerService({ pid: process.pid, baseUrl, tablePrefix, ...backend }),
    call<'seed'>({ action: 'seed', folder: sampleWorkflowsFolder(), ordersApiKey: apiKey }),
    requests.prewarm(WEBHOOK),
  ]);
  process.once('exit', registration.release);
  const files = createWorkflowFiles({ folder: sampleWorkflowsFolder(), seeded: samples, call, log });
  code.follow(files);

  return {
    announcement: announce({ baseUrl, apiKey, samples, first: registration.first }),
    stop: async () => {
      files.close();
      registration.release();
      await gateway.stop();
      const stopped = backend.stop();
      await code.stop();
      await stopped;
    },
  };
};

/** The functions' code as it is edited, and the processes that run it. */
const createCode = async (
  file: ServiceFile,
  folder: string,
  environment: Promise<LocalEnvironment>,
  log: (line: string) => void,
) => {
  const samples = samplesFunction(file);
  const definitions = [...file.functions, samples];
  const webhook = definitions.find(({ key }) => key === WEBHOOK);
  const edited = new Set<string>();
  let files: WorkflowFiles | null = null;
  /** Workflow files that were edited before their place in the store was known. */
  const early = new Set<string>();

  const outputFolder = join(folder, '.esbuild', String(process.pid));
  const bundler = createBundler({
    folder,
    outputFolder,
    esbuild: file.esbuild,
    extension: file.bundleExtension,
    eager: webhook === undefined ? [] : [webhook.module],
    onBuilt: (module) => {
      requests.dropOutdated();
      background.dropOutdated();
      if (module === webhook?.module) void requests.prewarm(WEBHOOK);
    },
    onSettled: () => {
      if (edited.size === 0) return;
      log(`${describeEdit(edited)}: the next request runs it`);
      edited.clear();
      files?.retryRefused();
    },
    onProblem: (problem) => {
      log(`The code can't be built, what was built before goes on:\n${problem}`);
      edited.clear();
    },
  });
  const functions = createLocalFunctions({ definitions, modules: bundler, environment });
  const spare = createSpareSandbox(process.env, await bundleFile(PROCESS_FILE, outputFolder));
  const requests = createProcessPool({ processes: REQUEST_PROCESSES, functions, spare });
  const background = createProcessPool({ processes: BACKGROUND_PROCESSES, functions, spare });

  const changed = new Set<string>();
  let settling: NodeJS.Timeout | undefined;
  const watcher = watchTree(folder, [...CODE_FOLDERS, WORKFLOWS, SERVICE_FILE], (path) => {
    const name = relative(folder, path);
    if (name === SERVICE_FILE)
      log('serverless.yml has changed: what is new in it counts from the next start on');
    else if (name.startsWith(WORKFLOWS)) files === null ? early.add(path) : files.changed(path);
    else {
      edited.add(name);
      changed.add(path);
      settling ??= setTimeout(() => {
        settling = undefined;
        const paths = new Set(changed);
        changed.clear();
        // A folder that was made, moved or removed can be anything.
        bundler.invalidate([...paths].every(isFile) ? paths : undefined);
      }, SETTLING_MS);
    }
  });

  return {
    requests,
    background,
    prepare: () => {
      for (const definition of [webhook, samples]) {
        if (definition !== undefined) void bundler.find(definition.module).catch(() => {}); // who needs it is told
      }
    },
    follow: (workflowFiles: WorkflowFiles) => {
      files = workflowFiles;
      for (const path of early) files.changed(path);
    },
    stop: async () => {
      watcher.close();
      clearTimeout(settling);
      await Promise.all([requests.stop(), background.stop(), spare.stop()]);
      await bundler.close();
    },
  };
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Editors write a file in several steps; what comes within this time is one edit. */
const SETTLING_MS = 20;

const describeEdit = (edited: ReadonlySet<string>): string => {
  const [first = '', ...others] = edited;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};
