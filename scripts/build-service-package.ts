import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildConsole } from '../packages/console/serve/build-console.ts';

/**
 * Builds the npm package `hookloom`: what the command line, the local service and deployments load, as the sources without
 * their types. Which files and dependencies that are, follows from their imports.
 *
 * `node scripts/build-service-package.ts TEMPLATE [FOLDER]`: the template of the release, and by default `dist/hookloom`.
 */
const root = resolve(import.meta.dirname, '..');
const [template = '', folder = join(root, 'dist/hookloom')] = process.argv.slice(2);

/** What is loaded by its path. */
const ENTRIES = [
  'packages/cli/main.ts',
  'packages/local/commands.ts',
  'packages/local/samples/samples-function.ts',
  'packages/lambda-stage/src/pool/sandbox-process.ts',
  'functions/**/*.ts',
];

/** What is read or copied, not imported. */
const FILES = [
  'serverless.yml',
  'LICENSE',
  'workflows/*.json',
  'packages/cli/plugin-template/*',
  'packages/cli/project-template/**/*',
  'packages/cli/project-template/.github/**/*',
];

/** Packages whose files are read. */
const ASSETS = ['@jitl/quickjs-wasmfile-release-sync'];

/** On its own, for plugins outside of the package. */
const KIT = '@hookloom/plugin-kit';

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Finds the sources that are imported, directly or not, and the packages. */
const findImports = async () => {
  const packages = new Set<string>();
  const outside: Plugin = {
    name: 'outside',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('node:') || builtinModules.includes(path)) return null;
        const [first = '', second = ''] = path.split('/');
        const name = first.startsWith('@') ? `${first}/${second}` : first;
        if (isBundled(name)) return null;
        packages.add(name);
        return { path, external: true };
      });
    },
  };
  const { metafile } = await build({
    entryPoints: ENTRIES.flatMap((pattern) => globSync(pattern, { cwd: root })),
    absWorkingDir: root,
    outdir: 'dist/none',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    plugins: [outside],
  });
  return { files: Object.keys(metafile.inputs), packages: [...packages].sort() };
};

/** Our packages are in this one, but for the kit. */
const isBundled = (name: string): boolean =>
  name !== KIT && (name.startsWith('@hookloom/') || name === 'lambda-stage');

/** Where a file of the repository is in the package: a package of ours that is imported by its name, in its node_modules. */
const placeOf = (file: string, named: ReadonlyMap<string, string>): string => {
  const [, place = ''] = /^(packages\/[^/]+)\//.exec(file) ?? [];
  const name = named.get(place);
  return name === undefined ? file : join('node_modules', name, file.slice(place.length + 1));
};

const write = (file: string, content: string | Uint8Array): void => {
  const target = join(folder, file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
};

/** The manifests of our packages that are imported by name, by their folders. */
const readNamed = () =>
  new Map(
    globSync('packages/*/package.json', { cwd: root }).flatMap((file) => {
      const { name, exports } = readJson(file);
      return exports !== undefined && isBundled(name) ? [[dirname(file), name as string] as const] : [];
    }),
  );

/** The versions that the manifests of the repository ask for. */
const versionOf = (name: string): string => {
  if (name === KIT) return readJson('packages/plugin-kit/package.json').version; // it has its own
  for (const file of ['package.json', ...globSync('packages/*/package.json', { cwd: root })]) {
    const { dependencies = {}, devDependencies = {} } = readJson(file);
    const found = dependencies[name] ?? devDependencies[name];
    if (found !== undefined) return found;
  }
  throw new Error(`no manifest names ${name}`);
};

rmSync(folder, { recursive: true, force: true });
const named = readNamed();
const { files, packages } = await findImports();
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  write(placeOf(file, named), file.endsWith('.ts') ? stripTypeScriptTypes(text) : text);
}
for (const [place, name] of named) {
  if (!files.some((file) => file.startsWith(`${place}/`))) continue;
  const { version, license, type, exports, sideEffects } = readJson(`${place}/package.json`);
  write(
    join('node_modules', name, 'package.json'),
    JSON.stringify({ name, version, license, type, exports, sideEffects }, null, 2),
  );
}
for (const file of FILES.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true })))
  if (file.isFile()) {
    const path = relative(root, join(file.parentPath, file.name));
    write(path, readFileSync(join(root, path)));
  }
const console = await buildConsole(join(root, '.hookloom/console'));
cpSync(console.folder, join(folder, 'packages/console/built'), { recursive: true });
write('template.json', readFileSync(template));
mkdirSync(join(folder, 'bin'));
copyFileSync(join(root, 'packages/cli/npm/hookloom.js'), join(folder, 'bin/hookloom.js'));
copyFileSync(join(root, 'packages/cli/npm/README.md'), join(folder, 'README.md'));

const { version, description, license } = readJson('package.json');
const { repository, bugs, keywords } = readJson('packages/plugin-kit/package.json');
const bundled = [...named].filter(([place]) => files.some((file) => file.startsWith(`${place}/`)));
const dependencies = Object.fromEntries([
  ...[...packages, ...ASSETS].map((name) => [name, versionOf(name)] as const),
  ...bundled.map(([, name]) => [name, version] as const),
]);
write(
  'package.json',
  JSON.stringify(
    {
      name: 'hookloom',
      version,
      description,
      license,
      repository: { ...repository, directory: 'packages/cli' },
      homepage: 'https://github.com/hookloom/hookloom#readme',
      bugs,
      keywords: [...keywords.filter((word: string) => word !== 'plugin'), 'lambda', 'cli'],
      type: 'module',
      sideEffects: false,
      engines: readJson('package.json').engines,
      bin: { hookloom: 'bin/hookloom.js' },
      exports: { './package.json': './package.json', './template.json': './template.json' },
      dependencies,
      bundleDependencies: bundled.map(([, name]) => name),
    },
    null,
    2,
  ),
);
