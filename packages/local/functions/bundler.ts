import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { BuildContext, BuildFailure, BuildResult, Message, OutputFile, Plugin } from 'esbuild';
import { createChunks } from '../../../resources/chunks.ts';
import { withEsbuild } from '../../../resources/with-esbuild.ts';

interface BundlerOptions {
  /** The project folder; modules are relative to it. */
  readonly folder: string;
  readonly outputFolder: string;
  /** Options that are passed to esbuild. */
  readonly esbuild: Readonly<Record<string, unknown>>;
  /** How messages name a file, which is relative to the folder; as it is if absent. */
  readonly toShown?: (file: string) => string;
  /** Further plugins of esbuild. */
  readonly plugins?: readonly Plugin[];
  /** The file extension, including the dot. */
  readonly extension: string;
  /** Modules rebuilt immediately after a change; others are rebuilt when needed. */
  readonly eager: readonly string[];
  /** Called for every bundle that differs from the previous one. */
  readonly onBuilt: (module: string) => void;
  /** Called when nothing is left to build. */
  readonly onSettled?: () => void;
  /** Called with the reason when the newest code cannot be built, once per reason. */
  readonly onProblem: (problem: string) => void;
}

export interface Bundler {
  /**
   * The bundle of a module's current code, or of the last code that could be built. Each version is a file.
   * @throws Error when it was never built
   */
  find(module: string): Promise<string>;
  /** Returns the path of the newest existing bundle. */
  current(module: string): string | null;
  /** Rebuilds after a change to these files (absolute paths), or to any file. */
  invalidate(files?: ReadonlySet<string>): void;
  close(): Promise<void>;
}

interface Entry {
  readonly module: string;
  context: Promise<BuildContext> | null;
  file: string | null;
  /** The inputs of the last build, absolute; null when it failed, since any file may then be the cause. */
  inputs: ReadonlySet<string> | null;
  problem: Error | null;
  /** The code has changed since the last build began. */
  isDirty: boolean;
  /** The current build; null when none is running. */
  running: Promise<void> | null;
  /** The next build; null when none is due. */
  next: PromiseWithResolvers<void> | null;
  /** Whether a caller waits for the next build. */
  isWanted: boolean;
  /** The last bundles, newest last. */
  readonly files: string[];
}

/** Bundles kept per module, for processes that have yet to load an older one. */
const KEPT_FILES = 5;

/**
 * Bundles modules with esbuild, each with its own context: code that a request waits for is built first, and unneeded
 * code is not built. A change during a build causes another build.
 */
export const createBundler = (options: BundlerOptions): Bundler => {
  const entries = new Map<string, Entry>();
  const chunks = createChunks();
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

  /** The next module to build; modules that a caller waits for come first. */
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
    // Synchronously after the last check for work, so that no change is missed.
    isWorking = false;
    if (!isClosed) options.onSettled?.();
  };

  const build = async (entry: Entry): Promise<void> => {
    const done = entry.next ?? Promise.withResolvers<void>();
    Object.assign(entry, { isDirty: false, isWanted: false, next: null, running: done.promise });
    try {
      const { outputFiles, metafile } = await rebuild(entry);
      const [output, ...beside] = outputFiles ?? [];
      if (output === undefined) throw new Error(`${entry.module} produced no bundle`);
      const names = Object.keys(metafile?.inputs ?? {});
      entry.inputs = new Set(names.map((name) => resolve(options.folder, name)));
      entry.problem = null;
      lastProblem = '';
      for (const file of beside) keepChunk(dirname(output.path), file);
      keep(entry, output.hash, output.contents);
    } catch (error) {
      if (!isClosed) fail(entry, error);
    } finally {
      entry.running = null;
      done.resolve();
    }
  };

  const rebuild = (entry: Entry): Promise<BuildResult> =>
    withEsbuild(
      async () => {
        entry.context ??= openContext(entry.module, chunks, options);
        return (await entry.context).rebuild();
      },
      () => {
        if (isClosed) throw new Error('The bundler is closed');
        for (const each of entries.values()) each.context = null;
      },
    );

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

  /** Stores a chunk of a bundle, or a file that a bundle reads. Chunks are named after their contents. */
  const keepChunk = (folder: string, { path, contents }: OutputFile): void => {
    const file = join(options.outputFolder, relative(folder, path));
    if (existsSync(file)) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  };

  /** Reports a problem unless another build follows: half-written files don't build either. */
  const fail = (entry: Entry, error: unknown): void => {
    const text = describeBuildError(error, options.toShown);
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
        // A running build may have read a file before it changed.
        const areInputsKnown = entry.running === null && entry.inputs !== null && files !== undefined;
        if (!areInputsKnown || [...files].some((file) => entry.inputs?.has(file))) entry.isDirty = true;
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

/** Bundles one file for the service itself, and returns the path of the bundle. */
export const bundleFile = async (file: string, outputFolder: string): Promise<string> => {
  const { build } = await import('esbuild');
  const outfile = join(outputFolder, `${basename(file, '.ts')}.cjs`);
  await withEsbuild(() =>
    build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'silent',
    }),
  );
  return outfile;
};

const openContext = async (
  module: string,
  chunks: Plugin,
  { folder, esbuild, plugins = [] }: BundlerOptions,
): Promise<BuildContext> => {
  const { context } = await import('esbuild');
  return context({
    ...esbuild,
    absWorkingDir: folder,
    entryPoints: [`${module}.ts`],
    outfile: `${module}.js`, // a name only: nothing is written
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [...plugins, chunks],
  });
};

/** Whether the code caused the error, not esbuild's process. */
const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

export const describeBuildError = (error: unknown, toShown = (file: string): string => file): string => {
  if (!isBuildFailure(error)) return error instanceof Error ? error.message : String(error);
  return error.errors
    .slice(0, 10)
    .map((message) => describeMessage(message, toShown))
    .join('\n');
};

const describeMessage = ({ text, location }: Message, toShown: (file: string) => string): string =>
  location === null ? text : `${toShown(location.file)}:${location.line}:${location.column + 1} ${text}`;
