import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer, type ReceivedRequest } from '../support/a-local-server.ts';
import {
  API_PATH,
  type AuthorizationServer,
  anAuthorizationServer,
  CLIENT_SECRET,
} from '../support/an-authorization-server.ts';
import { type InstalledFolder, installFolder, PROGRAM } from '../support/an-installed-folder.ts';
import { sendJson, startLocalService } from '../support/local-service.ts';
import { projectEnvironment, projectRoot, runCommand } from '../support/run-command.ts';

const [, page = ''] = readFileSync(join(projectRoot, 'docs/plugins.md'), 'utf8').split(
  '## A plugin with a sign-in, a poll, pages and options',
);

/** The code that the guide has for a file of the plugin. */
const codeFor = (file: string): string => {
  const [, code] = /\n```ts\n([\s\S]*?)```/.exec(page.slice(page.indexOf(`\`plugins/acme/${file}\``))) ?? [];
  if (code === undefined) throw new Error(`the guide has no code for ${file}`);
  return code;
};

const plugin = ['sign-in.ts', 'stores.ts', 'new-order.ts', 'lists.ts', 'index.ts'];
const work = mkdtempSync(join(tmpdir(), 'hookloom-walk-through-'));
let installed: InstalledFolder;
const cleanups: (() => Promise<void>)[] = [];

/** Outside of the repository, with the packages of the kit and the command line. */
beforeAll(async () => {
  const template = join(work, 'template.json');
  writeFileSync(template, '{}');
  installed = await installFolder(work, template);
  for (const args of [['init'], ['plugin', 'create', 'acme']])
    expect(await installed.hookloom(args)).toMatchObject({ code: 0, stderr: '' });
  for (const file of [...plugin, 'examples.ts', 'index.test.ts'])
    writeFileSync(join(installed.folder, 'plugins/acme', file), codeFor(file));
});
afterAll(async () => {
  await Promise.all(cleanups.map((cleanup) => cleanup()));
  rmSync(work, { recursive: true });
});

test('the guide’s plugin is as short as it says, and passes its own tests', async () => {
  const lines = plugin.reduce((sum, file) => sum + codeFor(file).trimEnd().split('\n').length, 0);
  expect(page).toContain(`Its code has ${lines} lines`);
  const args = ['test', '--prefix', 'plugins/acme'];
  const { code, stdout } = await runCommand('npm', args, { cwd: installed.folder });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass 28\n.*fail 0/) });
});

test('it is checked as the guide shows', async () => {
  const { code, stdout, stderr } = await installed.hookloom(['plugin', 'check', 'plugins/acme']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(page).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
});

/** The API of the shop, which takes only access tokens that the authorization server says are valid. */
const aShopApi = (server: AuthorizationServer): Promise<LocalServer> => {
  const answering =
    (toBody: (query: URLSearchParams) => object) =>
    async ({ url, headers }: ReceivedRequest, response: ServerResponse): Promise<void> => {
      const authorization = headers.authorization ?? '';
      const { status } = await fetch(`${server.origin}${API_PATH}`, { headers: { authorization } });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(toBody(new URL(url, server.origin).searchParams)));
    };
  const order = (id: string) => ({ id, total: 1, createdAt: '2026-01-01' });
  return aLocalServer({
    '/me': answering(() => ({})),
    '/stores': answering(() => ({ stores: [{ id: 's1', name: 'Harbour' }], next: null })),
    '/orders': answering((query) =>
      query.has('cursor') ? { orders: [order('o2')] } : { orders: [order('o1')], next: 'c2' },
    ),
  });
};

/** Signs in with the command line: it prints the address at which a person does. */
const connect = async (env: Record<string, string>, visit: (address: string) => Promise<Response>) => {
  const args = [PROGRAM, 'credential', 'connect', 'tea'];
  const child = spawn('node', args, { cwd: installed.folder, env: projectEnvironment(env), stdio: 'pipe' });
  child.stdin.end(CLIENT_SECRET);
  let noted = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    noted += chunk;
  });
  const printed = text(child.stdout);
  const exit = once(child, 'close');
  while (!/^http\S+\n/m.test(noted)) await Promise.race([once(child.stderr, 'data'), exit]);
  const [address = ''] = /^http\S+/m.exec(noted) ?? [];
  expect((await visit(address)).status).toBe(200);
  return { code: (await exit)[0], stdout: await printed, stderr: noted };
};

test('a person signs in to its server, and its nodes and options get tokens that are renewed', async () => {
  const authorization = await anAuthorizationServer();
  cleanups.push(authorization.close);
  const api = await aShopApi(authorization);
  cleanups.push(api.close);
  const [shop, host] = [authorization, api].map(({ origin }) => new URL(origin).host);
  for (const file of plugin) {
    const code = codeFor(file)
      .replace('https://{shop}.acme.example/oauth/authorize', 'http://{shop}/auth?prompt=consent')
      .replace('https://{shop}.acme.example/oauth/token', 'http://{shop}/token')
      .replace("'orders.read', 'products.read'", "'openid', 'offline_access'")
      .replaceAll('https://api.acme.example', api.origin)
      .replaceAll('api.acme.example', String(host));
    writeFileSync(join(installed.folder, 'plugins/acme', file), code);
  }
  const { baseUrl, stop } = await startLocalService({
    cwd: installed.folder,
    program: PROGRAM,
    args: ['start', '--port', '0'],
    env: { OUTBOUND_ALLOW: '127.0.0.1' },
  });
  cleanups.push(stop);
  const env = { HOOKLOOM_PORT: new URL(baseUrl).port };

  const created = await installed.hookloom(
    `credential create tea --type acmeShop --field shop=${shop} --field clientId=shop`.split(' '),
    env,
  );
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('credential connect tea') });
  expect(await connect(env, (address) => authorization.visit(address))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('tea: connected'),
  });
  expect(authorization.granted).toMatchObject([{ form: { grant_type: 'authorization_code' } }]);

  const options = ['node-type', 'options', 'acmeListOrders', 'store', '--credential', 'tea', '--json'];
  const found = await installed.hookloom(options, env);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(found.stdout)).toEqual([{ value: 's1', label: 'Harbour' }]);

  const workflow = {
    ...{ format: 2, id: 'orders', name: 'Orders' },
    nodes: [
      { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
      { id: 'list', type: 'acmeListOrders', credentialId: 'tea', parameters: { store: 's1' } },
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'list' }],
  };
  expect(await sendJson(`${baseUrl}/api/admin/workflows/orders`, 'PUT', workflow)).toMatchObject({
    id: 'orders',
  });
  for (let run = 0; run < 2; run += 1)
    expect(await sendJson(`${baseUrl}/api/webhook/orders/webhook`, 'POST', {})).toMatchObject({
      items: [{ id: 'o1' }, { id: 'o2' }],
      complete: true,
    });
  const trigger = { id: 'order', type: 'acmeNewOrder', credentialId: 'tea' };
  const definition = {
    ...workflow,
    nodes: [{ ...trigger, parameters: { store: 's1', rate: '5 minutes' } }],
    connections: [],
  };
  expect(
    await sendJson(`${baseUrl}/api/admin/workflows/try`, 'POST', { definition, nodeId: 'order' }),
  ).toMatchObject({ status: 'succeeded', outputs: { main: { item: { id: 'o1' } } } });
  // The server's tokens are about to expire when they come, and a refresh token can be used only once.
  const [, ...renewed] = authorization.granted;
  expect(renewed.map(({ form }) => form.grant_type)).toEqual(Array(renewed.length).fill('refresh_token'));
  expect(renewed.length).toBeGreaterThanOrEqual(4);
  expect(new Set(authorization.granted.map(({ refreshToken }) => refreshToken)).size).toBe(
    renewed.length + 1,
  );
  expect(api.received.map(({ headers }) => headers.authorization)).not.toContain(undefined);
});
