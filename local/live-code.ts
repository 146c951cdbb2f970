import { rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleFile, createBundler } from './functions/bundler.ts';
import { createLocalFunctions, type LocalEnvironment } from './functions/local-functions.ts';
import type { FunctionDefinition, ServiceFile } from './functions/service-file.ts';
import { watchTree } from './functions/watch-tree.ts';
import { BACKGROUND_PROCESSES, REQUEST_PROCESSES } from './limits.ts';
import { createProcessPool, type ProcessPool } from './pool/process-pool.ts';
import { PROCESS_FILE } from './pool/sandbox.ts';
import { createSpareSandbox } from './pool/spare-sandbox.ts';
import type { WorkflowFiles } from './samples/watch-workflows.ts';

/** The functions' code as it is edited, and the processes that run it. */
export interface LiveCode {
  readonly requests: ProcessPool;
  readonly background: ProcessPool;
  /** Builds what the first requests need, and one function more. */
  prepare(key: string): void;
  /** Loads what the next request needs. */
  prewarm(): Promise<void>;
  /** From now on, edits of workflow files are theirs. */
  follow(files: WorkflowFiles): void;
  /** No edit is taken over any more. */
  settle(): void;
  stop(): Promise<void>;
}

/** Folders of code that is bundled. */
const CODE_FOLDERS = ['functions', 'lib', 'plugins'];
const WORKFLOWS = 'workflows';
const SERVICE_FILE = 'serverless.yml';

/** The function that an edit is tried out with: it is built, and loaded, before it is asked for. */
const FIRST_FUNCTION = 'webhook';

/** Editors write a file in several steps; what comes within this time is one edit. */
const SETTLING_MS = 20;

/**
 * @param definitions of all functions, those of serverless.yml and others
 * @param environment known when what stands behind the functions is up
 */
export const openLiveCode = async (parts: {
  readonly folder: string;
  readonly file: ServiceFile;
  readonly definitions: readonly FunctionDefinition[];
  readonly environment: Promise<LocalEnvironment>;
  readonly log: (line: string) => void;
}): Promise<LiveCode> => {
  const { folder, file, definitions, environment, log } = parts;
  const first = definitions.find(({ key }) => key === FIRST_FUNCTION);
  const edited = new Set<string>();
  let isEnding = false;
  let files: WorkflowFiles | null = null;

  const outputFolder = join(folder, '.esbuild', String(process.pid));
  process.once('exit', () => rmSync(outputFolder, { recursive: true, force: true }));
  const bundler = createBundler({
    folder,
    outputFolder,
    esbuild: file.esbuild,
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
      files?.retryRefused();
    },
    onProblem: (problem) => {
      if (isEnding) return; // Ctrl+C ends esbuild, too
      const goesOn = files === null ? '' : ', what was built before goes on';
      log(`The code can't be built${goesOn}:\n${problem}`);
      edited.clear();
    },
  });
  const functions = createLocalFunctions({ definitions, modules: bundler, environment });
  const spare = createSpareSandbox(process.env, await bundleFile(PROCESS_FILE, outputFolder));
  const requests = createProcessPool({ processes: REQUEST_PROCESSES, functions, spare });
  const background = createProcessPool({ processes: BACKGROUND_PROCESSES, functions, spare });

  const rebuild = collect((paths) => {
    // A folder that was made, moved or removed can be anything.
    bundler.invalidate([...paths].every(isFile) ? paths : undefined);
  });
  /** Workflow files that were edited before their place in the store was known. */
  const early = new Set<string>();
  const watcher = watchTree(folder, [...CODE_FOLDERS, WORKFLOWS, SERVICE_FILE], (path) => {
    const name = relative(folder, path);
    const [top] = name.split(/[\\/]/);
    if (top === SERVICE_FILE)
      log(`${SERVICE_FILE} has changed: what is new in it counts from the next start on`);
    else if (top !== WORKFLOWS) {
      edited.add(name);
      rebuild.add(path);
    } else if (files === null) early.add(path);
    else files.changed(path);
  });

  const settle = () => {
    isEnding = true;
    watcher.close();
    rebuild.cancel();
  };
  return {
    requests,
    background,
    prepare: (another) => {
      for (const { key, module } of definitions) {
        // Who needs it is told when it can't be built.
        if (key === FIRST_FUNCTION || key === another) void bundler.find(module).catch(() => {});
      }
    },
    prewarm: () => requests.prewarm(FIRST_FUNCTION),
    follow: (workflowFiles) => {
      files = workflowFiles;
      for (const path of early) files.changed(path);
    },
    settle,
    stop: async () => {
      settle();
      await Promise.all([requests.stop(), background.stop(), spare.stop()]);
      await bundler.close();
    },
  };
};

/** Gathers paths for a moment, then acts on all of them. */
const collect = (act: (paths: ReadonlySet<string>) => void) => {
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
      }, SETTLING_MS);
    },
    cancel: () => clearTimeout(timer),
  };
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const describeEdit = (edited: ReadonlySet<string>): string => {
  const [first = '', ...others] = edited;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};
