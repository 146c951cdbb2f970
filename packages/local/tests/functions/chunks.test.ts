import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import { createChunks } from '../../../../resources/chunks.ts';
import { runCommand } from '../../../../tests/support/run-command.ts';
import { type Bundler, createBundler } from '../../functions/bundler.ts';

let folder: string;
let bundler: Bundler;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** The answer of a bundle in a process of its own. */
const answerOf = async (file: string): Promise<string> => {
  const script = `require(${JSON.stringify(file)}).handler().then((answer) => process.stdout.write(answer))`;
  const { stdout, stderr } = await runCommand('node', ['-e', script]);
  return `${stdout}${stderr}`;
};

/** Builds a bundle into `built/`. */
const buildFor = (file: string) =>
  build({
    entryPoints: [join(folder, file)],
    outdir: join(folder, 'built'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    plugins: [createChunks()],
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-chunks-'));
  const handler = "export const handler = async () => (await import('../lib/words.chunk.ts')).read();";
  write('functions/webhook.ts', handler);
  write(
    'functions/sweep.ts',
    "import { isLong } from '../lib/lengths.ts'; export const handler = async () => String(isLong('hello'));",
  );
  write(
    'lib/lengths.ts',
    `export const isLong = (text: string) => text.length > 10;
     export const words = async () => (await import('./words.chunk.ts')).read();`,
  );
  write('lib/greeting.ts', "export const greeting: string = 'hello';");
  write(
    'lib/words.chunk.ts',
    `import { readFileSync } from 'node:fs';
     import { greeting } from './greeting.ts';
     export const read = () => greeting + ' ' + readFileSync(new URL("names.txt", import.meta.url), 'utf8');`,
  );
  write('lib/names.txt', 'Ada');
  bundler = createBundler({
    folder,
    outputFolder: join(folder, 'out'),
    esbuild: { bundle: true, platform: 'node', format: 'cjs', target: 'node24' },
    extension: '.cjs',
    eager: [],
    onBuilt: () => {},
    onProblem: () => {},
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await bundler.close();
  rmSync(folder, { recursive: true });
});

test('a chunk lies beside the bundle that imports it, with the files that it reads', async () => {
  await buildFor('functions/webhook.ts');
  expect(readdirSync(join(folder, 'built/webhook.chunks')).sort()).toEqual([
    'names.txt',
    expect.stringMatching(/^words\.chunk-\w{8}\.mjs$/),
  ]);
  rmSync(join(folder, 'lib'), { recursive: true });
  expect(await answerOf(join(folder, 'built/webhook.cjs'))).toBe('hello Ada');
});

test('the local service has it too, and rebuilds it after an edit of its imports', async () => {
  const first = await bundler.find('functions/webhook');
  expect(await answerOf(first)).toBe('hello Ada');
  write('lib/greeting.ts', "export const greeting: string = 'goodbye';");
  bundler.invalidate(new Set([join(folder, 'lib/greeting.ts')]));
  expect(await answerOf(await bundler.find('functions/webhook'))).toBe('goodbye Ada');
  expect(await answerOf(first)).toBe('hello Ada');
});

test('a chunk that only unused code imports is left out', async () => {
  expect(await answerOf(await bundler.find('functions/sweep'))).toBe('false');
  expect(readdirSync(join(folder, 'out'))).toEqual([expect.stringMatching(/^functions-sweep-/)]);
});

test('the exports of a prebuilt module are computed at build time, and read from a file', async () => {
  write('lib/table.prebuilt.ts', "export default Buffer.from('of the process ' + process.pid);");
  write(
    'lib/words.chunk.ts',
    "import table from './table.prebuilt.ts'; export const read = () => Buffer.from(table).toString();",
  );
  const bundle = await bundler.find('functions/webhook');
  rmSync(join(folder, 'lib'), { recursive: true });
  expect(await answerOf(bundle)).toBe(`of the process ${process.pid}`);
});

test('a chunk imported by both the bundle and another chunk exists once', async () => {
  write(
    'functions/webhook.ts',
    `
    export const handler = async () => {
      const { answer } = await import('../lib/answer.chunk.ts');
      const { read } = await import('../lib/words.chunk.ts');
      return (await answer()) + ', ' + read();
    };`,
  );
  write(
    'lib/answer.chunk.ts',
    "export const answer = async () => 'once ' + (await import('./words.chunk.ts')).read();",
  );
  write('lib/words.chunk.ts', 'let count = 0; export const read = () => String(++count);');
  const bundle = await bundler.find('functions/webhook');
  expect(await answerOf(bundle)).toBe('once 1, 2');
  const [chunks = ''] = readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.chunks'));
  expect(readdirSync(join(folder, 'out', chunks))).toHaveLength(2);

  write('lib/words.chunk.ts', 'let count = 5; export const read = () => String(++count);');
  bundler.invalidate(new Set([join(folder, 'lib/words.chunk.ts')]));
  expect(await answerOf(await bundler.find('functions/webhook'))).toBe('once 6, 7');
});

test('functions that describe node types get no chunk of nodes, and no interpreter, but what checks parameters', async () => {
  write('nodes/installed.ts', "export const load = () => import('../nodes/shout/shout.plugin.ts');");
  write('nodes/described.ts', "export * from './installed.ts';");
  write(
    'nodes/shout/shout.plugin.ts',
    `export const name = 'shout';
     export const check = async () => (await import('../../lib/words.chunk.ts')).read();
     export const execute = async () => (await import('./loud.chunk.ts')).loud;`,
  );
  write('nodes/shout/loud.chunk.ts', "export const loud = 'HELLO';");
  const handler = (list: string) => `import { load } from '../nodes/${list}.ts';
    export const handler = async () => {
      const { name, check, execute } = await load();
      const run = await execute().catch(({ message }: Error) => message);
      return [name, await check(), run].join(', ');
    };`;
  write('functions/webhook.ts', handler('installed'));
  write('functions/admin.ts', handler('described'));
  const buildIt = async (name: string) => {
    await buildFor(`functions/${name}.ts`);
    const beside = readdirSync(join(folder, `built/${name}.chunks`)).map((file) => file.replace(/-.*/, ''));
    return { answer: await answerOf(join(folder, `built/${name}.cjs`)), beside: beside.sort() };
  };
  expect(await buildIt('webhook')).toEqual({
    answer: 'shout, hello Ada, HELLO',
    beside: ['loud.chunk', 'names.txt', 'shout.plugin', 'words.chunk'],
  });
  expect(await buildIt('admin')).toEqual({
    answer: 'shout, hello Ada, this function describes node types, and was built without what runs them',
    beside: ['names.txt', 'shout.plugin', 'words.chunk'],
  });
});

test('a process whose clock was set back builds a chunk once', async () => {
  // So that all files are older, also the last one: its edit shows whether the chunk is built again.
  const later = performance.now() + 60_000;
  jest.spyOn(performance, 'now').mockReturnValue(later);
  jest.spyOn(Date, 'now').mockReturnValue(0);
  const plugins = [createChunks()];
  const buildChunk = async () => {
    const entryPoints = [join(folder, 'functions/webhook.ts')];
    const { outputFiles } = await build({
      entryPoints,
      outdir: folder,
      bundle: true,
      write: false,
      plugins,
      platform: 'node',
      format: 'cjs',
    });
    return outputFiles.find(({ path }) => path.includes('words.chunk'))?.path;
  };
  const built = await buildChunk();
  expect(built).toBeDefined();
  write('lib/greeting.ts', "export const greeting: string = 'goodbye';");
  expect(await buildChunk()).toBe(built);
});
