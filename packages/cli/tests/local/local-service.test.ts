import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { aLocalServer } from '../../../../tests/support/a-local-server.ts';
import { type LocalServiceInfo, readServiceInfo, registerService } from '../../local/local-service.ts';

let folder: string;
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-state-'));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  rmSync(folder, { recursive: true });
});

/** A service in a process of its own, which listens where its store is. */
const aService = async (port: number): Promise<LocalServiceInfo & { end(): Promise<void> }> => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const server = await aLocalServer({});
  const end = async () => {
    await server.close();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  cleanups.push(end);
  return {
    pid: child.pid ?? 0,
    baseUrl: `http://localhost:${port}`,
    dynamodbEndpoint: server.origin,
    engineEndpoint: server.origin,
    blobFolder: '/nonexistent',
    uploadEndpoint: server.origin,
    secretsFolder: '/nonexistent',
    sourcesEndpoint: server.origin,
    tablePrefix: 'test',
    end,
  };
};

const found = (port?: string) => readServiceInfo(port ?? '', folder)?.baseUrl ?? null;

test('the first service is found until it ends', async () => {
  expect(found()).toBeNull();
  const service = await aService(3000);
  const { first, release } = await registerService(service, folder);
  expect([first, found()]).toEqual([null, 'http://localhost:3000']);
  release();
  expect([found(), existsSync(join(folder, 'local.json'))]).toEqual([null, false]);
});

test('a second one leaves it its place, and is found by its port', async () => {
  const [one, two] = [await aService(3000), await aService(4000)];
  const first = await registerService(one, folder);
  const before = readFileSync(join(folder, 'local.json'), 'utf8');
  const second = await registerService(two, folder);
  expect(second.first?.baseUrl).toBe('http://localhost:3000');
  expect(readFileSync(join(folder, 'local.json'), 'utf8')).toBe(before);
  expect([found(), found('4000'), found('3000'), found('5000')]).toEqual([
    'http://localhost:3000',
    'http://localhost:4000',
    'http://localhost:3000',
    null,
  ]);
  second.release();
  expect([found(), found('4000')]).toEqual(['http://localhost:3000', null]);
  first.release();
});

test('once the first one has ended, the second one is found', async () => {
  const [one, two] = [await aService(3000), await aService(4000)];
  const first = await registerService(one, folder);
  await registerService(two, folder);
  first.release();
  expect(found()).toBe('http://localhost:4000');
});

test('a killed one is not found; its place is taken, and its late end does not release it', async () => {
  const [one, two] = [await aService(3000), await aService(4000)];
  const first = await registerService(one, folder);
  await one.end();
  expect(found()).toBeNull();
  expect((await registerService(two, folder)).first).toBeNull();
  first.release();
  expect(found()).toBe('http://localhost:4000');
});

test('a process with the number of a killed one is not mistaken for it', async () => {
  const [one, two] = [await aService(3000), await aService(4000)];
  const server = await aLocalServer({});
  await server.close();
  await registerService({ ...one, dynamodbEndpoint: server.origin }, folder); // a port without a listener
  expect((await registerService(two, folder)).first).toBeNull();
});

test('a foreign file is ignored', async () => {
  writeFileSync(join(folder, 'local.json'), 'null');
  writeFileSync(join(folder, 'local-1.json'), '{');
  expect(found()).toBeNull();
  expect((await registerService(await aService(3000), folder)).first).toBeNull();
});
