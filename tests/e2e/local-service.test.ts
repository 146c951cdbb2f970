import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aPushDelivery } from '../support/a-push-delivery.ts';
import { copyProject } from '../support/copy-project.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { readmeExamples } from '../support/readme-examples.ts';
import { runCommand } from '../support/run-command.ts';

/** A working copy of the project, since the tests below change it as its users do. */
let project: { readonly folder: string; remove(): void };
let service: RunningService;

beforeAll(async () => {
  project = copyProject();
  service = await startLocalService({ cwd: project.folder });
});

afterAll(async () => {
  await service?.stop();
  project?.remove();
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const get = async (path: string) => {
  const response = await fetch(`${service.baseUrl}${path}`);
  return { status: response.status, body: JSON.parse(await response.text()) };
};

const ordersApiKey = () => readFileSync(join(project.folder, '.hookloom/orders-api-key'), 'utf8').trim();

const cli = (...args: string[]) =>
  runCommand('npm', ['run', '-s', 'cli', '--', ...args], { cwd: project.folder });

/** Times are of their own in every answer. */
const withoutTimes = (json: string): unknown =>
  JSON.parse(json, (key, value) => (['durationMs', 'checkedAt', 'generatedAt'].includes(key) ? 0 : value));

describe('the README', () => {
  test('its curl lines answer as printed there', async () => {
    const examples = readmeExamples(readFileSync(join(project.folder, 'README.md'), 'utf8'));
    expect(examples).toHaveLength(3);
    for (const { url, init, answer } of examples) {
      const headers = Object.entries(init.headers).map(([name, value]) => [
        name,
        value.replace('$(cat .hookloom/orders-api-key)', ordersApiKey()),
      ]);
      const response = await fetch(url.replace('http://localhost:3000', service.baseUrl), {
        ...init,
        headers: Object.fromEntries(headers),
      });
      expect(withoutTimes(await response.text())).toEqual(withoutTimes(JSON.stringify(answer)));
    }
  });

  test('the service prints such lines, ready to paste, and little else', () => {
    expect(service.announcement.trim().split('\n').length).toBeLessThanOrEqual(12);
    const curls = service.announcement.match(/^ {2}curl .*$/gm) ?? [];
    expect(curls).toHaveLength(4);
    expect(curls[1]).toContain(ordersApiKey());
    expect(curls[2]).toContain('/api/webhook/approval/approval');
    expect(curls[3]).toContain('/api/admin/plugins/health');
  });
});

describe('the samples', () => {
  test('orders takes the other branch for a small total', async () => {
    const response = await post(
      '/api/webhook/orders/orders',
      { id: 'A-2', total: 20 },
      { 'x-api-key': ordersApiKey() },
    );
    expect(await response.json()).toMatchObject({ order: 'A-2', decision: 'approved' });
  });

  test('orders turns away whoever has no key, and a wrong one, alike', async () => {
    const missing = await post('/api/webhook/orders/orders', { total: 1 });
    const wrong = await post('/api/webhook/orders/orders', { total: 1 }, { 'x-api-key': 'wrong' });
    expect([missing.status, wrong.status]).toEqual([401, 401]);
    const { instance: _one, ...missingBody } = (await missing.json()) as Record<string, unknown>;
    const { instance: _other, ...wrongBody } = (await wrong.json()) as Record<string, unknown>;
    expect(missingBody).toEqual(wrongBody);
  });

  test('github-push picks repository, pusher and commit messages from a push delivery', async () => {
    const delivery = aPushDelivery();
    const response = await post('/api/webhook/github-push/github', delivery);
    expect(await response.json()).toEqual({
      repository: delivery.repository.full_name,
      pusher: delivery.pusher.name,
      messages: delivery.commits.map(({ message }) => message),
    });
  });

  test('what is edited counts from the next request on', async () => {
    const file = join(project.folder, 'workflows/hello.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Hello, ', 'Good morning, '));
    await service.printed(/hello\.json: hello is at version 2/);
    const response = await post('/api/webhook/hello/webhook', { name: 'Ada' });
    expect(await response.json()).toEqual({ greeting: 'Good morning, Ada' });
  });

  test('an edit that is not valid is refused with its place, and the version before it goes on', async () => {
    const file = join(project.folder, 'workflows/github-push.json');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace('"webhookTrigger"', '"webhookTriger"'));
    await service.printed(/github-push\.json was not stored[\s\S]*\/nodes\/0\/type/);
    expect((await post('/api/webhook/github-push/github', aPushDelivery())).status).toBe(200);
    writeFileSync(file, before);
  });
});

describe('a broken plugin', () => {
  beforeAll(async () => {
    // As anyone would add one, while the service is up: a file, and a line in the list.
    writeFileSync(
      join(project.folder, 'plugins/broken.ts'),
      "throw new Error('the vendor library is missing');\n",
    );
    const list = join(project.folder, 'plugins/installed.ts');
    const line = "  unified('broken', () => import('./broken.ts')),\n];";
    writeFileSync(list, readFileSync(list, 'utf8').replace(/\];\s*$/, line));
    await poll(async () => (await get('/api/admin/debug')).body.loadErrors.length === 1);
  });

  test('is listed with its reason, beside the legacy and unified ones that work', async () => {
    const { status, body } = await get('/api/admin/plugins');
    expect(status).toBe(200);
    const plugins = Object.fromEntries(body.plugins.map((plugin: { id: string }) => [plugin.id, plugin]));
    expect(plugins.broken).toMatchObject({
      loaded: false,
      error: expect.stringContaining('the vendor library is missing'),
    });
    expect(plugins.webhookTrigger).toMatchObject({ api: 'legacy', type: 'TRIGGER', loaded: true });
    expect(plugins.httpRequest).toMatchObject({ api: 'legacy', type: 'ACTION', loaded: true });
    expect(plugins.flow).toMatchObject({ api: 'unified', type: 'PROVIDER', loaded: true });
  });

  test('is one unhealthy row, and the service is degraded', async () => {
    const { status, body } = await get('/api/admin/plugins/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'degraded', summary: { total: 6, healthy: 5, unhealthy: 1 } });
    expect(body.plugins.broken.status).toBe('unhealthy');
  });

  test.each([
    ['/api/admin/plugins/triggers', ['webhookTrigger', 'manualTrigger']],
    [
      '/api/admin/plugins/actions',
      [
        ...['httpRequest', 'set', 'if', 'switch', 'merge', 'filter', 'respondToWebhook'],
        ...['wait', 'approval', 'forEach', 'subworkflow'],
      ],
    ],
    ['/api/admin/plugins/providers', ['flow', 'control']],
  ])('leaves %s as it is', async (path, ids) => {
    const { status, body } = await get(path);
    expect(status).toBe(200);
    const loaded = body.filter((plugin: { loaded: boolean }) => plugin.loaded);
    expect(loaded.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
  });

  test.each(['/api/admin/plugins/debug', '/api/admin/debug'])('shows in %s', async (path) => {
    const { body } = await get(path);
    expect(body).toMatchObject({ providerCount: 2, triggerCount: 2, loadErrors: [{ id: 'broken' }] });
  });
});

describe('the command line, against the running service', () => {
  test('stores a workflow that answers at once, and takes it off again', async () => {
    const file = join(project.folder, 'ping.json');
    writeFileSync(
      file,
      JSON.stringify({
        id: 'ping',
        name: 'Ping',
        enabled: true,
        nodes: [
          {
            id: 'in',
            type: 'webhookTrigger',
            parameters: { method: 'GET', path: '/', responseMode: 'lastNode' },
          },
          { id: 'out', type: 'set', parameters: { values: { pong: '{{ queryParams.n }}' } } },
        ],
        connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
      }),
    );
    expect(await cli('workflow', 'put', file)).toMatchObject({ code: 0 });
    expect(await get('/api/webhook/ping?n=1')).toEqual({ status: 200, body: { pong: '1' } });
    expect(await cli('workflow', 'disable', 'ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=1')).status).toBe(404);
    expect(await cli('workflow', 'enable', 'ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=2')).body).toEqual({ pong: '2' });
    expect(await cli('workflow', 'remove', 'ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=1')).status).toBe(404);
  });
});

test('a taken port is said in one line, and the exit code is not 0', async () => {
  const server = createServer().listen(0, 'localhost');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await runCommand('npm', ['start', '--silent'], {
    env: { PORT: String(port) },
  });
  server.close();
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(`Port ${port} is taken.`);
  expect(stdout + stderr).not.toMatch(/^\s+at /m); // no stack: it is nobody’s mistake in the code
});
