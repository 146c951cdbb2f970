import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stop as stopEsbuild } from 'esbuild';
import { type Bundler, bundleFile, createBundler } from '../../functions/bundler.ts';

let folder: string;
let bundler: Bundler;
let built: string[];
let problems: string[];
let settled: PromiseWithResolvers<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-bundler-'));
  mkdirSync(join(folder, 'functions'));
  built = [];
  problems = [];
  settled = Promise.withResolvers();
  write('shared', 'export const text: string = "first";');
  write('one', 'import { text } from "./shared.ts"; export const handler = () => "one " + text;');
  write('two', 'import { text } from "./shared.ts"; export const handler = () => "two " + text;');
  bundler = createBundler({
    folder,
    outputFolder: join(folder, 'out'),
    esbuild: { bundle: true, platform: 'node', format: 'cjs', target: 'node24' },
    extension: '.cjs',
    eager: ['functions/one'],
    onSettled: () => settled.resolve(),
    onBuilt: (module) => built.push(module),
    onProblem: (problem) => problems.push(problem),
  });
});
afterEach(async () => {
  await bundler.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, code: string): void => writeFileSync(join(folder, `functions/${name}.ts`), code);

const edit = (text: string): void => {
  write('shared', text);
  bundler.invalidate();
};

const load = async (name: string): Promise<unknown> => {
  const { default: module } = await import(await bundler.find(`functions/${name}`));
  return module.handler();
};

test('builds what is requested, once', async () => {
  expect(await load('one')).toBe('one first');
  const file = await bundler.find('functions/one');
  expect(file).toBe(bundler.current('functions/one'));
  expect(readFileSync(file, 'utf8')).toContain('first');
  expect(built).toEqual(['functions/one']);
});

test('what is requested after an edit contains the edit, 50 times, also while others are built', async () => {
  await Promise.all([load('one'), load('two')]);
  for (let at = 0; at < 50; at++) {
    edit(`export const text = "edit ${at}";`);
    if (at % 3 === 0) bundler.invalidate();
    const [name, other] = at % 2 === 0 ? ['one', 'two'] : ['two', 'one'];
    expect(await load(name)).toBe(`${name} edit ${at}`);
    if (at % 5 === 0) expect(await load(other)).toBe(`${other} edit ${at}`);
  }
});

test('an edit during a build starts another one', async () => {
  const first = bundler.find('functions/one');
  for (let at = 0; at < 20; at++) {
    edit(`export const text = "edit ${at}";`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await first;
  expect(await load('one')).toBe('one edit 19');
});

test('an edit that changes nothing produces the same bundle', async () => {
  const file = await bundler.find('functions/one');
  edit('export const text: string = "first"; // a comment');
  expect(await bundler.find('functions/one')).toBe(file);
  expect(built).toEqual(['functions/one']);
});

test('a bundle is rebuilt only after edits of its own files', async () => {
  await load('one');
  write('other', '');
  const file = (name: string) => new Set([join(folder, `functions/${name}.ts`)]);
  bundler.invalidate(file('other'));
  expect(await bundler.find('functions/one')).toBe(bundler.current('functions/one'));
  expect(built).toEqual(['functions/one']);
  write('shared', 'export const text = "second";');
  bundler.invalidate(file('shared'));
  expect(await load('one')).toBe('one second');
});

test('a bundle that failed is built again after any edit', async () => {
  write('one', 'import { text } from "./later.ts"; export const handler = () => text;');
  await expect(load('one')).rejects.toThrow(/Could not resolve/);
  write('later', 'export const text = "there";');
  bundler.invalidate(new Set([join(folder, 'functions/later.ts')]));
  expect(await load('one')).toBe('there');
});

test('eager bundles are rebuilt without a request once they were built; others are not', async () => {
  const others = await bundler.find('functions/two');
  bundler.invalidate();
  expect(bundler.current('functions/one')).toBeNull();
  await load('one');
  edit('export const text = "second";');
  settled = Promise.withResolvers();
  await settled.promise;
  expect(readFileSync(bundler.current('functions/one') ?? '', 'utf8')).toContain('second');
  expect(bundler.current('functions/two')).toBe(others);
  expect(await load('two')).toBe('two second');
});

test('code that can’t be built is reported once, with its place, and the previous build stays', async () => {
  await Promise.all([load('one'), load('two')]);
  edit('export const text = ;');
  expect(await load('one')).toBe('one first');
  expect(await load('two')).toBe('two first');
  expect(problems).toEqual(['functions/shared.ts:1:21 Unexpected ";"']);
  edit('export const text = "mended";');
  expect(await load('one')).toBe('one mended');
  edit('export const text = ;');
  await load('one');
  expect(problems).toHaveLength(2);
});

test('a module that was never built rejects with the reason until it can be built', async () => {
  write('one', 'import "./missing.ts"; export const handler = () => 1;');
  await expect(bundler.find('functions/one')).rejects.toThrow(/functions\/one.ts:1:8 Could not resolve/);
  await expect(bundler.find('functions/one')).rejects.toThrow(/Could not resolve/);
  write('missing', '');
  bundler.invalidate();
  expect(await load('one')).toBe(1);
  await expect(bundler.find('functions/none')).rejects.toThrow(/Could not resolve/);
});

test('keeps a few previous bundles, and none after closing', async () => {
  const files: string[] = [];
  for (let at = 0; at < 8; at++) {
    edit(`export const text = "edit ${at}";`);
    files.push(await bundler.find('functions/one'));
  }
  expect(files.map((file) => existsSync(file))).toEqual([...Array(3).fill(false), ...Array(5).fill(true)]);
  await bundler.close();
  expect(existsSync(join(folder, 'out'))).toBe(false);
});

test('continues after esbuild itself was ended', async () => {
  await load('one');
  edit('export const text = "second";');
  await stopEsbuild();
  expect(await load('one')).toBe('one second');
  edit('export const text = "third";');
  expect(await load('one')).toBe('one third');
  expect(problems).toEqual([]);
});

/** Ids of the processes that this one has started, from `/proc`. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid);
      } catch {
        return false; // it has ended
      }
    })
    .map(Number);

/** Kills esbuild's process. The others that this process may have started are not its. */
const killEsbuild = (): void => {
  const isEsbuild = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--service=');
  const found = childrenOf(process.pid).filter(isEsbuild);
  expect(found).toHaveLength(1);
  for (const pid of found) process.kill(pid, 'SIGKILL');
};

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('continues after esbuild’s process was killed, between builds and during one', async () => {
  await load('one');
  killEsbuild();
  expect(await load('two')).toBe('two first');
  edit('export const text = "second";');
  expect(await load('one')).toBe('one second');
  edit('export const text = "third";');
  const building = bundler.find('functions/one');
  killEsbuild();
  await building;
  expect(await load('one')).toBe('one third');
  expect(await load('two')).toBe('two third');
  expect(problems).toEqual([]);
});

onLinux('a file is bundled after esbuild’s process was killed', async () => {
  await load('one');
  killEsbuild();
  const { default: module } = await import(await bundleFile(join(folder, 'functions/one.ts'), folder));
  expect(module.handler()).toBe('one first');
});
