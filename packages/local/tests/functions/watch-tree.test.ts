import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type TreeWatcher, watchTree } from '../../functions/watch-tree.ts';

let folder: string;
let watcher: TreeWatcher;
let changed: Set<string>;
let onChange: () => void = () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-watch-'));
  mkdirSync(join(folder, 'lib/deep'), { recursive: true });
  mkdirSync(join(folder, 'other'));
  changed = new Set();
  watcher = watchTree(folder, ['lib', 'nodes', 'file.yml'], (path) => {
    changed.add(path.slice(folder.length + 1));
    onChange();
  });
});
afterEach(() => {
  watcher.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string): void => writeFileSync(join(folder, name), String(Math.random()));

/** Resolves when a change of it was reported, or of a folder above it: all in that may have changed. */
const reported = (name: string): Promise<void> =>
  new Promise((resolve) => {
    const isIt = (path: string) => path === name || name.startsWith(`${path}/`);
    onChange = () => [...changed].some(isIt) && resolve();
    onChange();
  });

const forget = (): void => changed.clear();

test('reports files that are written, created and removed, at any depth', async () => {
  for (const name of ['lib/a.ts', 'lib/deep/b.ts', 'file.yml']) {
    write(name);
    await reported(name);
  }
  forget();
  rmSync(join(folder, 'lib/a.ts'));
  await reported('lib/a.ts');
});

test('reports files that are replaced, as editors do it, each time', async () => {
  write('lib/a.ts');
  await reported('lib/a.ts');
  for (let at = 0; at < 5; at++) {
    forget();
    write('other/temporary');
    renameSync(join(folder, 'other/temporary'), join(folder, 'lib/a.ts'));
    await reported('lib/a.ts');
  }
});

test('reports folders that are created later, with their content', async () => {
  mkdirSync(join(folder, 'lib/new/deep'), { recursive: true });
  await reported('lib/new');
  forget();
  write('lib/new/deep/c.ts');
  await reported('lib/new/deep/c.ts');
});

test('reports folders that are created again, also the watched ones', async () => {
  for (const name of ['lib/deep', 'lib']) {
    rmSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, name));
    await reported(name);
    forget();
    write(`${name}/b.ts`);
    await reported(`${name}/b.ts`);
  }
});

test('reports folders that were missing at the start', async () => {
  mkdirSync(join(folder, 'nodes'));
  await reported('nodes');
  forget();
  write('nodes/a.ts');
  await reported('nodes/a.ts');
});

test('reports nothing outside them', async () => {
  write('other/a.ts');
  write('else.yml');
  mkdirSync(join(folder, 'lib/node_modules'));
  write('lib/node_modules/x.ts');
  write('lib/last.ts');
  await reported('lib/last.ts');
  expect([...changed]).toEqual(['lib/last.ts']);
});
