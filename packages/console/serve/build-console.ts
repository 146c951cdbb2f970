import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { withEsbuild } from '../../../resources/with-esbuild.ts';
import { fetchImports } from './fetched-imports.ts';

export interface BuiltConsole {
  /** Folder of the files, absolute. */
  readonly folder: string;
  /** File name of the script that the page begins with. */
  readonly script: string;
  /** File name of the script of workers. */
  readonly worker: string;
  /** File name of the style sheet. */
  readonly styles: string;
}

const root = resolve(import.meta.dirname, '../../..');
const source = join(root, 'packages/console/src');
const lockFile = join(root, 'package-lock.json');
/** Workflows that new ones can begin with. */
const samples = join(root, 'workflows');
/** The page has parts of these. */
const service = ['lib', 'packages'].map((folder) => `${join(root, folder)}/**/*.ts`);

/** In the npm package, which has no code of the page. */
const packed = join(root, 'packages/console/built');

/**
 * Builds the console unless its code is the one that was built last, or it was packed.
 *
 * @param cacheFolder - where builds are kept, one folder for each state of the code
 */
export const buildConsole = async (cacheFolder: string): Promise<BuiltConsole> => {
  const isPacked = existsSync(packed);
  const folder = isPacked ? packed : join(cacheFolder, hashCode());
  if (!existsSync(folder)) await buildInto(folder);
  return { folder, ...JSON.parse(readFileSync(join(folder, 'entry.json'), 'utf8')) };
};

const describeFile = (file: string): string => {
  const { mtimeMs, size } = statSync(file);
  return `${file} ${mtimeMs} ${size}\n`;
};

/** The state of this file when it was loaded: a running process keeps building with the code that it has. */
const ownState = describeFile(import.meta.filename);

/** Names the state of the code. */
const hashCode = (): string => {
  const hash = createHash('sha256').update(ownState);
  const files = globSync([`${source}/**/*.*`, ...service, `${samples}/*.json`], {
    exclude: ['**/node_modules/**'],
  });
  for (const file of [...files.sort(), lockFile]) hash.update(describeFile(file));
  return hash.digest('hex').slice(0, 16);
};

interface Adjustment {
  /** In the package of the components. */
  readonly file: string;
  /** Its new text. */
  readonly adjust: (text: string) => string;
}

/** Changes to the components, whose packages esbuild can't make smaller on its own. */
const adjustments: readonly Adjustment[] = [
  {
    // Messages in 15 languages to load on demand: esbuild bundles what a function imports that nothing calls.
    file: 'i18n/dynamic.js',
    adjust: () => 'export const importMessages = undefined;',
  },
  {
    // Of three layouts, a flag of the page chooses one; the console never sets it.
    file: 'app-layout/internal.js',
    adjust: () => "export { default as AppLayoutInternal } from './visual-refresh';",
  },
  {
    // Its <main> has the navigation, too: screen readers that jump to the main landmark would read that first.
    file: 'app-layout/visual-refresh/layout.js',
    adjust: (text) => text.replace('createElement("main"', 'createElement("div"'),
  },
  {
    file: 'app-layout/visual-refresh/main.js',
    adjust: (text) => text.replace('createElement("div"', 'createElement("main"'),
  },
  {
    // No <nav> has an orientation: https://www.w3.org/TR/wai-aria-1.2/#aria-orientation
    file: 'app-layout/visual-refresh/mobile-toolbar.js',
    adjust: (text) => text.replace('"aria-orientation": "horizontal", ', ''),
  },
];

const componentsFolder = join('@cloudscape-design', 'components');

const adjustComponents: Plugin = {
  name: 'adjust-components',
  setup: ({ onLoad }) => {
    for (const { file, adjust } of adjustments) {
      const end = join(componentsFolder, file);
      const filter = new RegExp(`${end.replaceAll(/[\\.]/g, '\\$&')}$`);
      onLoad({ filter }, ({ path }) => ({
        contents: adjust(readFileSync(path, 'utf8')),
        resolveDir: dirname(path),
      }));
    }
  },
};

/** What the page has in place of modules of Node, by the module's name. */
const nodeInPage = join(source, 'node');

/** What a stub of a function of Node throws, before the name. */
const NOT_IN_PAGE = 'not in the page: ';

/**
 * The page runs expressions and the validator of the service. What these take of Node is written again for a browser; all
 * else of Node throws when it is called, and `refuseNode` lists what of that may be in the page.
 */
const replaceNode: Plugin = {
  name: 'replace-node',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node', sideEffects: false }));
    onLoad({ filter: /^node:/, namespace: 'node' }, async ({ path }) => {
      const file = join(nodeInPage, `${path.slice('node:'.length)}.ts`);
      const own = existsSync(file) ? Object.keys(await import(file)) : [];
      const others = Object.keys(await import(path)).filter(
        (name) => !own.includes(name) && name !== 'default' && /^\w+$/.test(name),
      );
      const stubs = others.map(
        (name) => `export function ${name}() { throw new Error('${NOT_IN_PAGE}${path} ${name}'); }`,
      );
      const taken = own.length === 0 ? [] : [`export { ${own.join(', ')} } from ${JSON.stringify(file)};`];
      return { contents: [...taken, ...stubs].join('\n'), resolveDir: nodeInPage };
    });
    // What a webhook does with a request, loaded on use: the validator reads how it is set up.
    onResolve({ filter: /-stages(?:\.chunk)?\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, namespace: 'stages' } : null,
    );
    onLoad({ filter: /./, namespace: 'stages' }, () => ({
      contents: `throw new Error('${NOT_IN_PAGE}stages of a webhook')`,
    }));
  },
};

/** What a webhook calls when a request arrives, in the files that the validator reads for how it is set up. */
const onlyForRequests = new Set([
  'node:crypto createHmac',
  'node:crypto timingSafeEqual',
  'node:net BlockList',
  'node:querystring unescape',
]);

/** @throws Error if the page might call a function of Node */
const refuseNode = (files: readonly string[]): void => {
  const pattern = new RegExp(`${NOT_IN_PAGE}(node:[\\w/]+ \\w+)`, 'g');
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name),
  );
  const refused = found.filter((name) => !onlyForRequests.has(name));
  if (refused.length > 0)
    throw new Error(`the page of the console calls ${[...new Set(refused)].join(', ')}`);
};

const importSamples: Plugin = {
  name: 'import-samples',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^sample-workflows$/ }, ({ path }) => ({ path, namespace: 'samples' }));
    onLoad({ filter: /^sample-workflows$/, namespace: 'samples' }, () => ({
      contents: `[${readSamples().join()}]`,
      loader: 'json',
    }));
  },
};

/** Texts of the files that hold a workflow; what is not finished is not offered. */
const readSamples = (): readonly string[] =>
  globSync(`${samples}/*.json`)
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => {
      try {
        return Array.isArray(JSON.parse(text)?.nodes);
      } catch {
        return false;
      }
    });

const buildInto = async (folder: string): Promise<void> => {
  const unfinished = `${folder}-${process.pid}`;
  const options: BuildOptions & { readonly metafile: true } = {
    entryPoints: [join(source, 'main.tsx'), join(source, 'worker/worker.ts')],
    outdir: unfinished,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff2': 'file' },
    plugins: [adjustComponents, replaceNode, importSamples],
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  };
  try {
    const [{ metafile }, whole] = await withEsbuild(() =>
      Promise.all([
        build({ ...options, splitting: true, chunkNames: 'chunk-[hash]', loader: { '.css': 'empty' } }),
        // esbuild does not load the styles of parts on demand: one sheet has those of all parts.
        build({ ...options, entryPoints: [join(source, 'main.tsx')], write: false as const }),
      ]),
    );
    refuseNode(Object.keys(metafile.outputs).map((file) => resolve(file)));
    const sheet = whole.outputFiles.find(({ path }) => path.endsWith('.css'));
    const { outputs } = metafile;
    const fileOf = (entry: string): string =>
      Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith(entry)) ?? '';
    fetchImports(outputs, fileOf('main.tsx'));
    if (sheet === undefined) throw new Error('the console has no styles');
    const styles = basename(sheet.path).replace(/^main/, 'all');
    const others = whole.outputFiles.filter(({ path }) => !/\.(?:css|js)$/.test(path)); // fonts, say
    for (const { path, contents } of others) writeFileSync(join(unfinished, basename(path)), contents);
    writeFileSync(join(unfinished, styles), sheet.contents);
    writeFileSync(
      join(unfinished, 'entry.json'),
      JSON.stringify({
        script: basename(fileOf('main.tsx')),
        worker: basename(fileOf('worker.ts')),
        styles,
      }),
    );
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process has built the same
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
};
