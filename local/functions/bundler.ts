import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildContext, BuildFailure, BuildResult, Message } from 'esbuild';

interface BundlerOptions {
  /** Of the project: modules are relative to it. */
  readonly folder: string;
  /** Where bundles are written. */
  readonly outputFolder: string;
  /** Options of esbuild. */
  readonly esbuild: Readonly<Record<string, unknown>>;
  /** With its dot. */
  readonly extension: string;
  /** Modules that are built again at once when the code has changed; others when they are asked for. */
  readonly eager: readonly string[];
  /** Called for every bundle that differs from the one before. */
  readonly onBuilt: (module: string) => void;
  /** Called when nothing is left to build. */
  readonly onSettled?: () => void;
  /** Told why the newest code can't be built, once for each such state of the code. */
  readonly onProblem: (problem: string) => void;
}

export interface Bundler {
  /**
   * The bundle of a module, of the code as it was at the call or later; when that can't be built, the one before.
   * Another version of it is another file.
   * @throws {Error} when it was never built
   */
  find(module: string): Promise<string>;
  /** The newest bundle that there is. */
  current(module: string): string | null;
  /** The code has changed. @param files which of it, absolute; any of it when absent */
  invalidate(files?: ReadonlySet<string>): void;
  close(): Promise<void>;
}

interface Entry {
  readonly module: string;
  context: Promise<BuildContext> | null;
  file: string | null;
  /** The files that the last build has read, absolute; null when it has failed: then any file may mend it. */
  inputs: ReadonlySet<string> | null;
  problem: Error | null;
  /** The code has changed since the last build began. */
  isDirty: boolean;
  /** The build that is under way. */
  running: Promise<void> | null;
  /** The build that comes next. */
  next: PromiseWithResolvers<void> | null;
  /** Whether a caller waits for the next build. */
  isWanted: boolean;
  /** Newest last: what a process may be about to load. */
  readonly files: string[];
}

/** By then esbuild knows that it has ended, and can be started again. */
const RESTART_MS = 100;

/** Bundles of a module that stay, for processes that have been told to load an older one and have not yet. */
const KEPT_FILES = 5;

/**
 * Bundles modules with esbuild, each with a context of its own: the code that a request needs is built first, and what
 * is not asked for is not built at all. A change during a build causes another one.
 */
export const createBundler = (options: BundlerOptions): Bundler => {
  const entries = new Map<string, Entry>();
  let isWorking = false;
  let isClosed = false;
  let lastProblem = '';
  mkdirSync(options.outputFolder, { recursive: true });

  const entryOf = (module: string): Entry => {
    const known = entries.get(module);
    if (known !== undefined) return known;
    const entry: Entry = {
      module,
      context: null,
      file: null,
      inputs: null,
      problem: null,
      isDirty: true,
      running: null,
      next: null,
      isWanted: false,
      files: [],
    };
    entries.set(module, entry);
    return entry;
  };

  /** Those first that a caller waits for. */
  const findWork = (): Entry | undefined => {
    const dirty = [...entries.values()].filter(({ isDirty }) => isDirty);
    return (
      dirty.find(({ isWanted }) => isWanted) ??
      dirty.find(({ module, context }) => context !== null && options.eager.includes(module))
    );
  };

  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (let entry = findWork(); entry !== undefined && !isClosed; entry = findWork()) await build(entry);
    // In the turn that found nothing left to do: what changes from here on starts anew.
    isWorking = false;
    if (!isClosed) options.onSettled?.();
  };

  const build = async (entry: Entry): Promise<void> => {
    const done = entry.next ?? Promise.withResolvers<void>();
    Object.assign(entry, { isDirty: false, isWanted: false, next: null, running: done.promise });
    try {
      const { outputFiles, metafile } = await rebuild(entry);
      const [output] = outputFiles ?? [];
      if (output === undefined) throw new Error(`${entry.module} gave no bundle`);
      const names = Object.keys(metafile?.inputs ?? {});
      entry.inputs = new Set(names.map((name) => resolve(options.folder, name)));
      entry.problem = null;
      lastProblem = '';
      keep(entry, output.hash, output.contents);
    } catch (error) {
      if (!isClosed) fail(entry, error);
    } finally {
      entry.running = null;
      done.resolve();
    }
  };

  /** Once more when esbuild itself has ended: Ctrl+C and signals to the process group reach it, too. */
  const rebuild = async (entry: Entry, isAgain = false): Promise<BuildResult> => {
    entry.context ??= openContext(entry.module, options);
    try {
      return await (await entry.context).rebuild();
    } catch (error) {
      if (isBuildFailure(error) || isAgain || isClosed) throw error;
      entry.context = null;
      await sleep(RESTART_MS);
      return rebuild(entry, true);
    }
  };

  const keep = (entry: Entry, hash: string, contents: Uint8Array): void => {
    const name = `${entry.module.replaceAll('/', '-')}-${hash.replace(/\W/g, '_')}${options.extension}`;
    const file = join(options.outputFolder, name);
    if (file === entry.file) return;
    writeFileSync(file, contents);
    entry.file = file;
    const others = entry.files.filter((other) => other !== file);
    entry.files.splice(0, entry.files.length, ...others, file);
    while (entry.files.length > KEPT_FILES) rmSync(entry.files.shift() ?? '', { force: true });
    options.onBuilt(entry.module);
  };

  /** Half-written files don't build either: nothing is said while another build is to come. */
  const fail = (entry: Entry, error: unknown): void => {
    const text = describe(error);
    entry.inputs = null;
    entry.problem = new Error(text);
    if (entry.isDirty || text === lastProblem) return;
    lastProblem = text;
    options.onProblem(text);
  };

  return {
    find: async (module) => {
      const entry = entryOf(module);
      if (entry.isDirty && !isClosed) {
        entry.next ??= Promise.withResolvers<void>();
        entry.isWanted = true;
        const { promise } = entry.next;
        void work();
        await promise;
      } else await entry.running;
      if (entry.file !== null) return entry.file;
      throw entry.problem ?? new Error(`${module} was not built`);
    },
    current: (module) => entries.get(module)?.file ?? null,
    invalidate: (files) => {
      for (const entry of entries.values()) {
        // What is being built may have read a file before it changed.
        const isSafe = entry.running === null && entry.inputs !== null && files !== undefined;
        if (!isSafe || [...files].some((file) => entry.inputs?.has(file))) entry.isDirty = true;
      }
      void work();
    },
    close: async () => {
      isClosed = true;
      for (const { next } of entries.values()) next?.resolve();
      const opened = [...entries.values()].flatMap(({ context }) => context ?? []);
      await Promise.allSettled(opened.map(async (context) => (await context).dispose()));
      rmSync(options.outputFolder, { recursive: true, force: true });
    },
  };
};

/** Bundles one file for the service itself. @returns where it is */
export const bundleFile = async (file: string, outputFolder: string): Promise<string> => {
  const { build } = await import('esbuild');
  const outfile = join(outputFolder, `${basename(file, '.ts')}.cjs`);
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'silent',
  });
  return outfile;
};

const openContext = async (module: string, { folder, esbuild }: BundlerOptions): Promise<BuildContext> => {
  const { context } = await import('esbuild');
  return context({
    ...esbuild,
    absWorkingDir: folder,
    entryPoints: [`${module}.ts`],
    outfile: `${module}.js`, // a name only: nothing is written
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
};

/** What is wrong is in the code. */
const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

const describe = (error: unknown): string => {
  if (!isBuildFailure(error)) return error instanceof Error ? error.message : String(error);
  return error.errors.slice(0, 10).map(describeMessage).join('\n');
};

const describeMessage = ({ text, location }: Message): string =>
  location === null ? text : `${location.file}:${location.line}:${location.column + 1} ${text}`;
