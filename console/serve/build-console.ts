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
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** The console, built. */
export interface BuiltConsole {
  /** Folder of the files, absolute. */
  readonly folder: string;
  /** File name of the script that the page begins with. */
  readonly script: string;
  /** File name of the style sheet. */
  readonly styles: string;
}

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'console/src');
const lockFile = join(root, 'package-lock.json');
/** The page has parts of these. */
const service = ['lib', 'authoring', 'packages'].map((folder) => `${join(root, folder)}/**/*.ts`);

/**
 * Builds the console unless its code is the one that was built last.
 *
 * @param cacheFolder - where builds are kept, one folder for each state of the code
 */
export const buildConsole = async (cacheFolder: string): Promise<BuiltConsole> => {
  const folder = join(cacheFolder, hashCode());
  if (!existsSync(folder)) await buildInto(folder);
  const { script, styles } = JSON.parse(readFileSync(join(folder, 'entry.json'), 'utf8'));
  return { folder, script, styles };
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
  const files = globSync([`${source}/**/*.*`, ...service], { exclude: ['**/node_modules/**'] });
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

const hashes = join(source, 'parts/expression/node-crypto.ts');

/**
 * The page runs expressions and checks of the service, which import hashes of Node. Its other modules are named by files
 * of which the page uses other parts: they fall out of the bundle, and what does not is refused by `refuseNode`.
 */
const replaceNode: Plugin = {
  name: 'replace-node',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^node:crypto$/ }, () => ({ path: hashes }));
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** @throws Error if the page would import a module of Node */
const refuseNode = ({ outputs }: Metafile): void => {
  const found = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ path }) => path.startsWith('node:')).map(({ path }) => path),
  );
  if (found.length > 0) throw new Error(`the page of the console imports ${[...new Set(found)].join(', ')}`);
};

const buildInto = async (folder: string): Promise<void> => {
  const unfinished = `${folder}-${process.pid}`;
  const options: BuildOptions & { readonly metafile: true } = {
    entryPoints: [join(source, 'main.tsx')],
    outdir: unfinished,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff2': 'file' },
    plugins: [adjustComponents, replaceNode],
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  };
  try {
    const [{ metafile }, whole] = await Promise.all([
      build({ ...options, splitting: true, chunkNames: 'chunk-[hash]', loader: { '.css': 'empty' } }),
      // esbuild does not load the styles of parts on demand: one sheet has those of all parts.
      build({ ...options, write: false as const }),
    ]);
    refuseNode(metafile);
    const sheet = whole.outputFiles.find(({ path }) => path.endsWith('.css'));
    const [script = ''] =
      Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx')) ?? [];
    if (sheet === undefined) throw new Error('the console has no styles');
    const styles = basename(sheet.path).replace(/^main/, 'all');
    const others = whole.outputFiles.filter(({ path }) => !/\.(?:css|js)$/.test(path)); // fonts, say
    for (const { path, contents } of others) writeFileSync(join(unfinished, basename(path)), contents);
    writeFileSync(join(unfinished, styles), sheet.contents);
    writeFileSync(join(unfinished, 'entry.json'), JSON.stringify({ script: basename(script), styles }));
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process has built the same
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
};
