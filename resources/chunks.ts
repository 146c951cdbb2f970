import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** The functions that execute nodes, or check that their executors load. The others describe them at most. */
const EXECUTING = /(?:^|\/)functions\/(?:webhook|run-durable|run-express|admin\/health)\.ts$/;

/** The functions that list plugins: they have all of them in their bundles. */
const LISTING = /(?:^|\/)functions\/admin\/(?:plugins?|triggers|actions|providers|health|debug)\.ts$/;

/** The functions that load no plugin. */
const WITHOUT_PLUGINS =
  /(?:^|\/)functions\/(?:sweep|webhook-callback|admin\/(?:executions?|cancel-execution))\.ts$/;

/** A file that a module reads, beside itself. */
const ASSET = /new URL\("([\w.-]+)",\s*import\.meta\.url\)/g;

/** For packages in CommonJS, which have no `require` in an ES module. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

interface File {
  /** Absolute. */
  readonly path: string;
  readonly contents: Uint8Array;
}

interface Chunk {
  /** With a hash of its contents, so that a bundle changes with its chunks. */
  readonly name: string;
  readonly files: readonly File[];
  readonly inputs: Metafile['inputs'];
}

/**
 * An esbuild plugin that splits bundles: a module `NAME.chunk.ts` or `NAME.plugin.ts` that is imported with `import()` is a file of its own,
 * in a folder beside the bundle, with all that it imports and the files that those modules read. So it costs nothing
 * before it is used. It has copies of the modules that it shares with the bundle, and so no state in common.
 *
 * esbuild itself splits ES modules only. The folder is called as its bundle, with another extension: serverless-esbuild
 * packs it with that bundle alone.
 */
export const chunks: Plugin = {
  name: 'chunks',
  setup: ({ initialOptions, onStart, onResolve, onEnd }) => {
    const { entryPoints = [], absWorkingDir = process.cwd(), outdir, outfile = '', write } = initialOptions;
    const [entry = ''] = Object.values(entryPoints).map(String);
    const folder = `${basename(entry, extname(entry))}.chunks`;
    const target = join(resolve(absWorkingDir, outdir ?? dirname(outfile)), folder);
    const options = { ...initialOptions, absWorkingDir };
    const built = new Map<string, Promise<Chunk>>();

    onStart(() => built.clear());
    onResolve({ filter: /\.(?:chunk|plugin)\.ts$/ }, async ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return null;
      const isPlugin = path.endsWith('.plugin.ts');
      if (isPlugin && LISTING.test(entry)) return null;
      const isUsed = isPlugin ? !WITHOUT_PLUGINS.test(entry) : EXECUTING.test(entry);
      if (!isUsed) return { path, external: true };
      const source = join(resolveDir, path);
      const chunk = built.get(source) ?? buildChunk(source, target, options);
      built.set(source, chunk);
      return { path: `./${folder}/${(await chunk).name}`, external: true };
    });
    onEnd(async ({ outputFiles, metafile }) => {
      for (const { files, inputs } of await Promise.all(built.values())) {
        Object.assign(metafile?.inputs ?? {}, inputs);
        if (write === false) outputFiles?.push(...files.map((file) => ({ ...file, hash: '', text: '' })));
        else files.forEach(writeFile);
      }
    });
  },
};

/** Bundles a chunk as an ES module, in which `import.meta.url` is its own place. */
const buildChunk = async (
  source: string,
  folder: string,
  { absWorkingDir = '', minify = false, target = 'esnext', mainFields = ['module', 'main'] }: BuildOptions,
): Promise<Chunk> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [source],
    absWorkingDir,
    outdir: folder,
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    splitting: true, // what it imports on use in turn is a file of its own
    chunkNames: '[name]-[hash]',
    banner: { js: REQUIRE },
    write: false,
    metafile: true,
    logLevel: 'silent',
    minify,
    target,
    mainFields,
  });
  const inputs = Object.keys(metafile.inputs).map((input) => resolve(absWorkingDir, input));
  const [path = ''] =
    Object.entries(metafile.outputs).find(
      ([, { entryPoint = '' }]) => resolve(absWorkingDir, entryPoint) === source,
    ) ?? [];
  return {
    name: basename(path),
    files: [...outputFiles, ...inputs.flatMap((input) => findAssets(input, folder))],
    inputs: metafile.inputs,
  };
};

const findAssets = (input: string, folder: string): File[] =>
  [...readFileSync(input, 'utf8').matchAll(ASSET)].map(([, name = '']) => ({
    path: join(folder, name),
    contents: readFileSync(join(dirname(input), name)),
  }));

const writeFile = ({ path, contents }: File): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
};

/** For serverless-esbuild. */
export default [chunks];
