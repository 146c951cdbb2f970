import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';
import { toUserEnvironment } from '../../packages/local/stage/stage-file.ts';
import { useRunningStage } from '../support/a-running-stage.ts';

const stage = useRunningStage({ args: () => ['--no-samples'] });

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill('SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
  }
});

/** The console of the stage, with the keys of a user. @param secret - in place of the user's own */
const openConsole = async (user: string, secret?: string) => {
  const { info, folder } = stage;
  const keys = info.users[user];
  if (keys === undefined) throw new Error(`there is no user ${user}`);
  const own = { ...keys, secretAccessKey: secret ?? keys.secretAccessKey };
  // A wrong key would find no address in the outputs of the stack.
  const url = secret === undefined ? [] : ['--url', info.baseUrl];
  const args = ['console', '--no-browser', '--stage', info.stage, ...url];
  const child = spawn(process.execPath, [...info.nodeFlags, 'packages/cli/main.ts', ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...toUserEnvironment(own, info.region) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).once('line', resolve);
  child.once('exit', (code) => reject(new Error(`the console ended with ${code}`)));
  const address = await promise;
  const entered = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = entered.headers.getSetCookie().map((text) => text.split(';')[0]);
  const call = async (path: string, method = 'GET') => {
    const response = await fetch(new URL(path, address), { method, headers: { cookie } });
    return { status: response.status, body: await response.json() };
  };
  return { call, child };
};

test('operators read a stage through its console, and change what their policy allows', async () => {
  const { call, child } = await openConsole('operator');
  expect(await call('/api/admin/workflows?limit=1')).toMatchObject({
    status: 200,
    body: { workflows: expect.any(Array) },
  });
  expect(await call('/api/admin/executions/none')).toMatchObject({
    status: 404,
    body: { type: 'urn:hookloom:problem:execution-not-found' },
  });
  expect(await call('/api/admin/workflows/none', 'DELETE')).toMatchObject({
    status: 403,
    body: {
      type: 'urn:hookloom:problem:aws-denied',
      detail: expect.stringContaining('AWS denies execute-api:Invoke on DELETE /api/admin/workflows/none'),
    },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

test('a wrong key is told as a problem, which the page shows', async () => {
  const { call } = await openConsole('operator', 'a-wrong-secret');
  expect(await call('/api/admin/workflows?limit=1')).toMatchObject({
    status: 403,
    body: { type: 'urn:hookloom:problem:aws-denied', detail: expect.stringContaining('AWS denies') },
  });
});
