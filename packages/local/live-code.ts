import { rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  BACKGROUND_PROCESSES,
  createProcessPool,
  createSpareSandbox,
  PROCESS_FILE,
  type ProcessPool,
  REQUEST_PROCESSES,
} from 'lambda-stage/pool';
import { createAddedPlugins } from '../../resources/added-plugins.ts';
import { listPluginModules } from '../cli/hookloom-file.ts';
import { FOLDER_FILE } from '../cli/local/project-folder.ts';
import { bundleFile, createBundler } from './functions/bundler.ts';
import { createLocalFunctions, type LocalEnvironment } from './functions/local-functions.ts';
import type { FunctionDefinition, ServiceFile } from './functions/service-file.ts';
import { watchTree } from './functions/watch-tree.ts';
import type { WorkflowFiles } from './samples/watch-workflows.ts';

/** The functions' code, rebuilt after each edit, and the processes that run it. */
export interface LiveCode {
  readonly requests: ProcessPool;
  readonly background: ProcessPool;
  /** Starts building the webhook function and another one. */
  prepare(key: string): void;
  /** Loads the webhook function into a process. */
  prewarm(): Promise<void>;
  /** Applies edits of workflow files. */
  watchWorkflows(files: WorkflowFiles): void;
  /** Stops watching: further edits are ignored. */
  stopWatching(): void;
  stop(): Promise<void>;
}

/** Folders with bundled code. */
const CODE_FOLDERS = ['functions', 'lib', 'nodes'];
/** What a user's folder has instead. */
const OWN = ['plugins', FOLDER_FILE];
const WORKFLOWS = 'workflows';
const SERVICE_FILE = 'serverless.yml';

/** The function that is built and loaded after an edit, before it is invoked. */
const FIRST_FUNCTION = 'webhook';

/** Editors write a file in several steps: changes within this time are one edit. */
const DEBOUNCE_MS = 20;

export const openLiveCode = async (parts: {
  readonly folder: string;
  /** With the workflows, and plugins of one's own; the same folder in a clone. */
  readonly home: string;
  readonly file: ServiceFile;
  /** The definitions of serverless.yml's functions and others. */
  readonly definitions: readonly FunctionDefinition[];
  /** The environment, known when the backend is up. */
  readonly environment: Promise<LocalEnvironment>;
  readonly log: (line: string) => void;
}): Promise<LiveCode> => {
  const { folder, home, file, definitions, environment, log } = parts;
  const first = definitions.find(({ key }) => key === FIRST_FUNCTION);
  const edited = new Set<string>();
  let isEnding = false;
  let files: WorkflowFiles | null = null;

  const outputFolder = join(home, '.esbuild', String(process.pid));
  process.once('exit', () => rmSync(outputFolder, { recursive: true, force: true }));
  const bundler = createBundler({
    folder,
    outputFolder,
    esbuild: file.esbuild,
    toShown: (name) => relative(home, join(folder, name)),
    plugins: home === folder ? [] : [createAddedPlugins(home, () => listPluginModules(home))],
    extension: file.bundleExtension,
    eager: first === undefined ? [] : [first.module],
    onBuilt: (module) => {
      requests.dropOutdated();
      background.dropOutdated();
      if (module === first?.module) void requests.prewarm(FIRST_FUNCTION);
    },
    onSettled: () => {
      if (edited.size === 0) return;
      log(`${describeEdit(edited)}: the next request runs it`);
      edited.clear();
      files?.retryInvalid();
    },
    onProblem: (problem) => {
      if (isEnding) return; // Ctrl+C also ends esbuild
      const kept = files === null ? '' : '; the last build stays in use';
      log(`The code can't be built${kept}:\n${problem}`);
      edited.clear();
    },
  });
  const functions = createLocalFunctions({ definitions, modules: bundler, environment });
  const spare = createSpareSandbox(process.env, await bundleFile(PROCESS_FILE, outputFolder));
  const requests = createProcessPool({ processes: REQUEST_PROCESSES, functions, spare });
  const background = createProcessPool({ processes: BACKGROUND_PROCESSES, functions, spare });

  const rebuild = debounceChanges((paths) => {
    // A folder that was created, moved or removed may contain any file; a list of plugins may name any.
    const isKnown = (path: string) => isFile(path) && path !== join(home, FOLDER_FILE);
    bundler.invalidate([...paths].every(isKnown) ? paths : undefined);
  });
  /** Workflow files edited before the samples were stored. */
  const early = new Set<string>();
  const watched = home === folder ? [...CODE_FOLDERS, WORKFLOWS, SERVICE_FILE] : [...OWN, WORKFLOWS];
  const watcher = watchTree(home, watched, (path) => {
    const name = relative(home, path);
    const [top] = name.split(/[\\/]/);
    if (top === SERVICE_FILE) log(`${SERVICE_FILE} changed: restart the service to apply it`);
    else if (top !== WORKFLOWS) {
      edited.add(name);
      rebuild.add(path);
    } else if (files === null) early.add(path);
    else files.changed(path);
  });

  const stopWatching = () => {
    isEnding = true;
    watcher.close();
    rebuild.cancel();
  };
  return {
    requests,
    background,
    prepare: (another) => {
      for (const { key, module } of definitions) {
        // The invocation that needs it reports the error.
        if (key === FIRST_FUNCTION || key === another) void bundler.find(module).catch(() => {});
      }
    },
    prewarm: () => requests.prewarm(FIRST_FUNCTION),
    watchWorkflows: (workflowFiles) => {
      files = workflowFiles;
      for (const path of early) files.changed(path);
    },
    stopWatching,
    stop: async () => {
      stopWatching();
      await Promise.all([requests.stop(), background.stop(), spare.stop()]);
      await bundler.close();
    },
  };
};

/** Collects paths for a moment, then processes all of them. */
const debounceChanges = (act: (paths: ReadonlySet<string>) => void) => {
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add: (path: string): void => {
      paths.add(path);
      timer ??= setTimeout(() => {
        const all = paths;
        paths = new Set();
        timer = undefined;
        act(all);
      }, DEBOUNCE_MS);
    },
    cancel: () => clearTimeout(timer),
  };
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const describeEdit = (edited: ReadonlySet<string>): string => {
  const [first = '', ...others] = edited;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};
