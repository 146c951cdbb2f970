import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { aLocalServer } from '../../../../tests/support/a-local-server.ts';
import { projectEnvironment, projectRoot } from '../../../../tests/support/run-command.ts';
import { openDataFolder } from '../../database/data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process of its own that has the folder, until it is killed. */
const anotherOwner = async () => {
  const script = `
    import { openDataFolder } from ${JSON.stringify(join(projectRoot, 'packages/local/database/data-folder.ts'))};
    await openDataFolder(${JSON.stringify(folder)});
    console.log('ready');
    process.stdin.resume();`;
  const child = spawn('node', ['--input-type=module', '-e', script], {
    env: projectEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    kill: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
};

test('is created when missing, with places for tables and blobs', async () => {
  const path = join(folder, 'new', 'data');
  const { tables, blobs, release } = await openDataFolder(path);
  expect([tables, blobs]).toEqual([join(path, 'tables'), join(path, 'blobs')]);
  expect(existsSync(path)).toBe(true);
  release();
});

test.each([
  ['new', () => {}],
  ['of an earlier release', () => mkdirSync(join(folder, 'tables'), { mode: 0o755 })],
])('a folder that is %s has tables, blobs and secrets for its user alone', async (_which, prepare) => {
  prepare();
  const { tables = '', blobs, secrets, release } = await openDataFolder(folder);
  release();
  expect([tables, blobs, secrets].map((path) => statSync(path).mode & 0o777)).toEqual(Array(3).fill(0o700));
});

test('a new data folder is for its user alone', async () => {
  const path = join(folder, 'data');
  (await openDataFolder(path)).release();
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('without a folder nothing is stored', async () => {
  const { tables, blobs, secrets, release } = await openDataFolder(undefined);
  const folder = dirname(blobs);
  expect([tables, dirname(secrets), existsSync(folder)]).toEqual([undefined, folder, true]);
  release();
  expect(existsSync(folder)).toBe(false);
});

test('belongs to one service at a time, until that ends in whatever way', async () => {
  const other = await anotherOwner();
  try {
    await expect(openDataFolder(folder)).rejects.toThrow(`in use by process ${other.pid}. Stop that process`);
  } finally {
    await other.kill();
  }
  const { release } = await openDataFolder(folder);
  await expect(openDataFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  writeFileSync(join(folder, 'kept'), '');
  release();
  (await openDataFolder(folder)).release();
  expect(existsSync(join(folder, 'kept'))).toBe(true);
});

test('is taken over when its recorded port is unused or belongs to another process', async () => {
  const server = await aLocalServer({});
  try {
    for (const port of [String(server.port), '', 'x', '70000']) {
      writeFileSync(join(folder, 'service.port'), port);
      (await openDataFolder(folder)).release();
    }
  } finally {
    await server.close();
  }
});

test('says why a path cannot be a folder', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(openDataFolder(file)).rejects.toThrow(`${file} can't be used as a data folder`);
});

test('a folder is refused while another process has it by another path', async () => {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const { pid, kill } = await anotherOwner();
  try {
    await expect(openDataFolder(link)).rejects.toThrow(`is in use by process ${pid}`);
  } finally {
    await kill();
    rmSync(link);
  }
});
