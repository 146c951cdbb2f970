import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** A process that has answered one request for the list of plugins, and then does what the script says. */
const runScript = async (script: string, ownProcess: string, act: (pid: number) => void = () => {}) => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { handler } = await import('./functions/admin/plugins.ts');
       const answer = () => handler({ routeKey: 'GET /api/admin/plugins', requestContext: { http: { method: 'GET' } } }, {});
       process.send((await answer()).statusCode);
       ${script}`,
    ],
    {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', OWN_PROCESS: ownProcess },
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    },
  );
  const log: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const ended = once(child, 'close');
  const [status] = await once(child, 'message');
  expect(status).toBe(200);
  if (child.pid !== undefined) act(child.pid);
  const [code, signal] = await ended;
  return { code, signal, log: log.join('') };
};

/** For an event that does not come. */
const WAITS = 'setInterval(() => {}, 1_000);';

const endIt = (pid: number): void => {
  process.kill(pid, 'SIGTERM');
};

test('a dedicated process shuts down in order when told to', async () => {
  expect(await runScript(WAITS, '1', endIt)).toMatchObject({ code: 0, signal: null });
});

test('a shared process is left alone', async () => {
  expect(await runScript(WAITS, '', endIt)).toMatchObject({ code: null, signal: 'SIGTERM' });
});

test('an error outside any execution is logged, and does not end the process at once', async () => {
  const script = `
    process.once('uncaughtExceptionMonitor', () => setImmediate(() => process.exit(7)));
    setImmediate(() => { throw new Error('in a pool'); });`;
  const { code, log } = await runScript(script, '1');
  expect(code).toBe(7);
  expect(log).toContain('Unhandled error outside of any execution.');
  expect(log).toContain('in a pool');
});
