import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const CHUNK = /\.(?:chunk|plugin)\.ts$|^@hookloom\//;

/** The list of plugins that functions import which run no nodes. */
const DESCRIBED = /[\\/]described\.ts$/;

/**
 * What the built-in nodes load only when they run, or when their credentials are tested: their chunks, and interpreters.
 * Functions that run no nodes check parameters, too, and may parse an expression for that.
 */
const isForRuns = (path: string, folder: string): boolean =>
  IN_NODES.test(join(folder, path.startsWith('.') ? path : '')) &&
  (path.endsWith('.chunk.ts') || INTERPRETERS.includes(path));

const IN_NODES = /[\\/]nodes(?:[\\/]|$)/;

const INTERPRETERS = [
  '@hookloom/bounded-schema',
  '@hookloom/bounded-xml',
  '@hookloom/metered-quickjs',
  '@hookloom/safe-markdown',
];

/** In the place of what was left out: a module that says so when it is imported. */
const LEFT_OUT = {
  path: `data:text/javascript,${encodeURIComponent("throw new Error('this function describes node types, and was built without what runs them');")}`,
  external: true,
};

/** A file that a module reads, next to it. */
const ASSET = /new URL\("([\w.-]+)",\s*import\.meta\.url\)/g;

/** Line that defines `require` in an ES module, for packages in CommonJS. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

interface File {
  /** Path in the folder next to the bundle. */
  readonly name: string;
  readonly contents: Uint8Array;
}

interface Chunk {
  /** File name with a content hash, so that a bundle changes with its chunks. */
  readonly name: string;
  readonly files: readonly File[];
  readonly inputs: Metafile['inputs'];
  /** Whether the inputs of a file are unchanged since it was built. */
  readonly isCurrent: () => boolean;
}

/**
 * An esbuild plugin that splits bundles: a module `NAME.chunk.ts` or `NAME.plugin.ts`, or one of our packages, that is imported with `import()` becomes
 * a separate file in a folder next to each importing bundle, with everything that it imports and the files that those modules read.
 * So it costs nothing until it is used. It has its own copies of modules that the bundle also contains, and shares no state with it.
 * A chunk that imports another one on use finds it in the same folder: each exists once.
 *
 * Functions that import `nodes/described.ts` get no file that only runs of nodes load.
 *
 * esbuild itself splits only ES modules. The folder has the bundle's name with a different extension, so that serverless-esbuild
 * packs it only with that bundle.
 */
export const createChunks = (): Plugin => {
  const findChunk = createChunkCache();
  return {
    name: 'chunks',
    setup: ({ initialOptions, onStart, onResolve, onEnd }) => {
      const { entryPoints = [], absWorkingDir = process.cwd(), outdir, outfile = '', write } = initialOptions;
      const [entry = ''] = Object.values(entryPoints).map(String);
      const folder = `${basename(entry, extname(entry))}.chunks`;
      const target = join(resolve(absWorkingDir, outdir ?? dirname(outfile)), folder);
      const built = new Map<string, Chunk>(); // some are imported by code that the bundle omits
      let runsNodes = true;

      initialOptions.metafile = true;
      onStart(() => {
        built.clear();
        runsNodes = true;
      });
      onResolve({ filter: DESCRIBED }, () => {
        runsNodes = false; // before any plugin is found, since they are imported by that file only
        return null;
      });
      onResolve({ filter: CHUNK }, async ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import') return null;
        if (!runsNodes && isForRuns(path, resolveDir)) return LEFT_OUT;
        const options = { ...initialOptions, absWorkingDir };
        const chunk = await findChunk(findSource(path, resolveDir), options, runsNodes);
        const imported = `./${folder}/${chunk.name}`;
        built.set(imported, chunk);
        return { path: imported, external: true };
      });
      onEnd(({ outputFiles, metafile }) => {
        if (metafile === undefined) return; // the build failed
        const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
        for (const { path } of imports) {
          const { files = [], inputs = {} } = built.get(path) ?? {};
          Object.assign(metafile.inputs, inputs);
          for (const { name, contents } of files) {
            const path = join(target, name);
            if (write === false) outputFiles?.push({ path, contents, hash: '', text: '' });
            else writeFile(path, contents);
          }
        }
      });
    },
  };
};

/** The file of a module; for a package, its entry. */
const findSource = (path: string, folder: string): string =>
  path.startsWith('.') ? join(folder, path) : createRequire(join(folder, 'importer.ts')).resolve(path);

/** The name of a chunk: its file's name, or the name of the package whose entry it is. */
const chunkNameOf = (source: string): string => {
  const name = basename(source, '.ts');
  return name === 'index' ? basename(dirname(source)) : name;
};

/** Builds a chunk once for all its bundles, and again when one of its files has changed. */
const createChunkCache = () => {
  const built = new Map<string, Promise<Chunk>>();
  const findChunk = async (source: string, options: BuildOptions, runsNodes: boolean): Promise<Chunk> => {
    const {
      absWorkingDir = '',
      minify = false,
      target = 'esnext',
      mainFields = ['module', 'main'],
    } = options;
    const settings = { absWorkingDir, minify, target, mainFields };
    const key = JSON.stringify([source, settings, runsNodes]);
    const known = built.get(key);
    const chunk = await known?.catch(() => null);
    if (chunk?.isCurrent()) return chunk;
    const next = built.get(key);
    if (next !== undefined && next !== known) return next; // another bundle already rebuilt it
    const building = buildChunk(source, settings, runsNodes, (inner) => findChunk(inner, options, runsNodes));
    built.set(key, building);
    return building;
  };
  return findChunk;
};

/** Bundles a chunk as an ES module, in which `import.meta.url` is its own URL. */
const buildChunk = async (
  source: string,
  settings: BuildOptions,
  runsNodes: boolean,
  findChunk: (source: string) => Promise<Chunk>,
): Promise<Chunk> => {
  // Not of `Date`, which a process may have set to another day.
  const startedAt = performance.timeOrigin + performance.now();
  const others = new Map<string, Chunk>();
  const folder = dirname(source); // a name only: nothing is written
  const prebuilt: File[] = [];
  const { outputFiles, metafile } = await build({
    ...settings,
    entryPoints: [source],
    outdir: folder,
    entryNames: `${chunkNameOf(source)}-[hash]`,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    splitting: true, // further modules imported on use become separate files
    chunkNames: '[name]-[hash]',
    banner: { js: REQUIRE },
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [createPrebuilt(prebuilt), shareChunks(source, others, runsNodes, findChunk)],
  });
  const absolute = (path: string) => resolve(settings.absWorkingDir ?? '', path);
  const inputs = Object.keys(metafile.inputs).map(absolute);
  const [path = ''] =
    Object.entries(metafile.outputs).find(([, { entryPoint = '' }]) => absolute(entryPoint) === source) ?? [];
  return {
    name: basename(path),
    files: [
      ...outputFiles.map(({ path, contents }) => ({ name: relative(folder, path), contents })),
      ...inputs.flatMap(findAssets),
      ...prebuilt,
      ...[...others.values()].flatMap(({ files }) => files),
    ],
    inputs: Object.assign({}, metafile.inputs, ...[...others.values()].map((other) => other.inputs)),
    isCurrent: () =>
      inputs.every((input) => isUnchangedSince(startedAt, input)) &&
      [...others.values()].every((other) => other.isCurrent()),
  };
};

/** Redirects the chunks that a chunk imports on use to the bundle's. */
const shareChunks = (
  source: string,
  others: Map<string, Chunk>,
  runsNodes: boolean,
  findChunk: (source: string) => Promise<Chunk>,
): Plugin => ({
  name: 'shared-chunks',
  setup: ({ onResolve }) => {
    onResolve({ filter: CHUNK }, async ({ path, kind, resolveDir }) => {
      const file = findSource(path, resolveDir);
      if (kind !== 'dynamic-import' || file === source) return null;
      if (!runsNodes && isForRuns(path, resolveDir)) return LEFT_OUT;
      const chunk = await findChunk(file);
      others.set(file, chunk);
      return { path: `./${chunk.name}`, external: true };
    });
  },
});

/** The clock of a file system may lag by some milliseconds. */
const CLOCK_MS = 100;

/** Uses the change time (ctime), which also changes when a file is moved. */
const isUnchangedSince = (time: number, file: string): boolean => {
  const { ctimeMs = Number.POSITIVE_INFINITY } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return ctimeMs < time - CLOCK_MS;
};

const findAssets = (input: string): File[] =>
  [...readFileSync(input, 'utf8').matchAll(ASSET)].map(([, name = '']) => ({
    name,
    contents: readFileSync(join(dirname(input), name)),
  }));

const writeFile = (path: string, contents: Uint8Array): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
};

/**
 * An esbuild plugin for values that are slow to compute and always the same: a module `NAME.prebuilt.ts`, whose default
 * export is bytes, is evaluated when a bundle is built, once per process that builds. The bundle reads the bytes from a file
 * next to it.
 *
 * @param files - receives the files, whose names contain a content hash
 */
const createPrebuilt = (files: File[]): Plugin => ({
  name: 'prebuilt',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.prebuilt\.ts$/ }, async ({ path }) => {
      const { default: contents }: { default: Uint8Array } = await import(pathToFileURL(path).href);
      const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
      const name = `${basename(path, '.prebuilt.ts')}-${hash}.bin`;
      files.push({ name, contents });
      const read = `readFileSync(new URL(${JSON.stringify(name)}, import.meta.url))`;
      return { contents: `import { readFileSync } from 'node:fs'; export default ${read};`, loader: 'js' };
    });
  },
});

/** The esbuild plugins that serverless-esbuild loads. */
export default [createChunks()];
