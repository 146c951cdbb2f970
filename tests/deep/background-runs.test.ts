import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTargetServer } from '../support/a-target-server.ts';
import { copyProject } from '../support/copy-project.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { runCli } from '../support/run-command.ts';

interface ExecutionView {
  readonly status: string;
  readonly nodes: readonly {
    readonly nodeId: string;
    readonly status: string;
  }[];
}

const CALLBACK_URL = /Waiting for an answer: (\S+)/;

let project: { readonly folder: string; remove(): void };
let data: string;
let target: Awaited<ReturnType<typeof startTargetServer>>;
let service: RunningService;

const start = () =>
  startLocalService({
    cwd: project.folder,
    args: ['--data', data],
    env: { OUTBOUND_ALLOW: '127.0.0.1' },
  });

beforeAll(async () => {
  project = copyProject();
  data = mkdtempSync(join(tmpdir(), 'hookloom-data-'));
  target = await startTargetServer();
  service = await start();
});

afterAll(async () => {
  await service?.stop();
  target?.stop();
  project?.remove();
  rmSync(data, { recursive: true, force: true });
});

const cli = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCli(args, { cwd: project.folder });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  return stdout;
};

const find = async (id: string) =>
  (await fetch(`${service.baseUrl}/api/admin/executions/${id}`)).json() as Promise<ExecutionView>;

const call = (path: string, id: string) => ({
  id,
  type: 'httpRequest',
  parameters: { method: 'POST', url: `${target.url}${path}`, idempotencyKey: true },
});

const workflow = () => ({
  id: 'order',
  name: 'Order',
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { path: '/order' } },
    call('/reserve', 'reserve'),
    { id: 'pause', type: 'wait', parameters: { seconds: 2 } },
    { id: 'ask', type: 'approval', parameters: { timeoutSeconds: 600 } },
    call('/ship', 'ship'),
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'reserve' },
    { sourceNodeId: 'reserve', targetNodeId: 'pause' },
    { sourceNodeId: 'pause', targetNodeId: 'ask' },
    { sourceNodeId: 'ask', sourceOutput: 'approved', targetNodeId: 'ship' },
  ],
});

const lastProcess = (): number => Number([...service.output().matchAll(/: process (\d+)/g)].at(-1)?.[1]);

const answer = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve', by: 'Ada' }),
  });

// holds: survives-a-kill, finished-steps-stay
test('a run survives any end of its processes, and repeats no request to the outside', async () => {
  const file = join(project.folder, 'order.json');
  writeFileSync(file, JSON.stringify(workflow()));
  await cli('workflow', 'put', file);

  const accepted = await fetch(`${service.baseUrl}/api/webhook/order/order`, { method: 'POST', body: '{}' });
  expect(accepted.status).toBe(202); // while its first request waits for an answer
  const { executionId } = (await accepted.json()) as { executionId: string };
  (await target.received('/reserve')).answer();

  // In the wait there is no process of the run to end: so everything is ended, and started again.
  await service.printed(new RegExp(`run ${executionId}: process`));
  let waiting = await find(executionId);
  await poll(async () => {
    waiting = await find(executionId);
    return waiting.status === 'waiting';
  });
  // In the pause; on a slow machine, it may be over, and the approval waits.
  const nodeId = expect.stringMatching(/^(pause|ask)$/);
  expect(waiting.nodes.at(-1)).toMatchObject({ nodeId, status: 'waiting' });
  await service.kill();
  const before = service.output();
  service = await start();

  if (!CALLBACK_URL.test(before)) await service.printed(CALLBACK_URL); // the wait may have ended before the service
  // It may be of the service before, which had another port.
  const { pathname } = new URL(CALLBACK_URL.exec(before + service.output())?.[1] ?? '');
  const url = `${service.baseUrl}${pathname}`;
  expect((await fetch(url)).status).toBe(200); // to look at it decides nothing
  expect((await fetch(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
  expect((await answer(url)).status).toBe(200);
  expect((await answer(url)).status).toBe(410);

  // The second request has arrived, and its process ends before it hears the answer.
  const interrupted = await target.received('/ship');
  process.kill(lastProcess(), 'SIGKILL');
  (await target.received('/ship', 2)).answer();
  await cli('execution', 'watch', executionId);

  const record = await find(executionId);
  expect(record).toMatchObject({ status: 'succeeded', failure: null, workflowVersion: 1, mode: 'durable' });
  expect(record.nodes.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual([
    'request succeeded',
    'reserve succeeded',
    'pause succeeded',
    'ask succeeded',
    'ship succeeded',
  ]);
  expect(target.requests.map(({ path, key }) => [path, key])).toEqual([
    ['/reserve', `${executionId}/reserve/0`],
    ['/ship', interrupted.key],
    ['/ship', `${executionId}/ship/0`],
  ]);
  expect(interrupted.key).toBe(`${executionId}/ship/0`);
});

// holds: accepted-runs-happen, survives-a-kill
test('an express run that a killed service had acknowledged runs in the next one', async () => {
  const file = join(project.folder, 'volume.json');
  const definition = {
    id: 'volume',
    name: 'Volume',
    settings: { execution: 'express' },
    nodes: [
      { id: 'request', type: 'webhookTrigger', parameters: { path: '/count' } },
      call('/count', 'count'),
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'count' }],
  };
  writeFileSync(file, JSON.stringify(definition));
  await cli('workflow', 'put', file);
  const accepted = await fetch(`${service.baseUrl}/api/webhook/volume/count`, { method: 'POST', body: '{}' });
  expect(accepted.status).toBe(202);
  const { executionId } = (await accepted.json()) as { executionId: string };
  await target.received('/count');
  await service.kill();
  service = await start();
  (await target.received('/count', 2)).answer();
  await cli('execution', 'watch', executionId);
  expect(await find(executionId)).toMatchObject({ status: 'succeeded', invocations: 2 });
});

test('stored data survives Ctrl+C and a restart', async () => {
  await service.stop();
  service = await start();
  expect(await cli('workflow', 'list')).toMatch(/order +enabled +1 /);
  expect(await cli('credential', 'list')).toContain('orders-key');
  expect(JSON.parse(await cli('execution', 'list', '--workflow', 'order', '--json'))).toMatchObject({
    executions: [{ workflowId: 'order', status: 'succeeded' }],
  });
});
