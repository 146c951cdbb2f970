import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { expectCount } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { watchPage } from '../support/watched-page.ts';

const TOKEN = 'the-new-token';

let shop: Server;
let service: RunningService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the page must not cause. */
let faults: string[];

const put = async (path: string, body: unknown): Promise<void> => {
  const { status } = await fetch(`${service.baseUrl}/api/admin/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([200, 201]).toContain(status);
};

beforeAll(async () => {
  browser = await aBrowser();
  shop = createServer(({ headers }, response) => {
    const status = headers.authorization === `Bearer ${TOKEN}` ? 200 : 401;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"stock":7}');
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  service = await startLocalService({ env: { STAND_IN_PORT: String(port) } });
  const host = `127.0.0.1:${port}`;
  await put('credentials/console-shop', {
    type: 'httpBearer',
    secrets: { token: 'the-old-token' },
    hosts: [host],
  });
  await put('workflows/console-stock', {
    id: 'console-stock',
    name: 'Stock',
    enabled: true,
    settings: { execution: 'durable', recordData: 'always' },
    nodes: [
      {
        id: 'request',
        type: 'webhookTrigger',
        parameters: { path: '/stock', responseMode: 'onReceived' },
      },
      {
        id: 'ask',
        type: 'httpRequest',
        credentialId: 'console-shop',
        parameters: { url: `http://${host}/stock` },
      },
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'ask' }],
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  shop?.close();
});

beforeEach(async () => {
  faults = [];
  context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  watchPage(page, faults);
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const open = (path: string) => page.goto(`${service.baseUrl}/console${path}`);

const confirm = (action: string) =>
  page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();

test('a refused credential is found by a failed execution, rotated, and the retry from the node succeeds', async () => {
  const started = await fetch(`${service.baseUrl}/api/webhook/console-stock/stock`, { method: 'POST' });
  const { executionId } = (await started.json()) as { readonly executionId: string };
  await open(`/executions/${executionId}`);
  await page.getByText('Failed', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Show the node' }).click();
  const node = page.getByRole('region', { name: 'Node ask' });
  await node.getByText(/401/).first().waitFor();

  await open('/credentials/console-shop');
  await page
    .getByRole('link', { name: /console-stock/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog').getByLabel(/token/i).fill(TOKEN);
  await confirm('Rotate');
  await page.getByText('console-shop is rotated').waitFor();

  await open(`/executions/${executionId}?node=ask`);
  await node.getByRole('button', { name: 'Retry from here' }).click();
  await confirm('Retry');
  await page.waitForURL((url) => !url.pathname.endsWith(executionId));
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
});

test('a workflow is run by hand, disabled, enabled and rolled back', async () => {
  await open('/workflows/orders');
  await page.locator('.react-flow__node[data-id="large"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/node=large/);
  await page.getByRole('button', { name: 'Run by hand' }).click();
  await page.getByLabel('id', { exact: true }).fill('A-77');
  await page.getByLabel('total', { exact: true }).fill('12.5');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/executions\//);
  await page.getByText('Succeeded', { exact: true }).first().waitFor();

  await open('/workflows/hello');
  await page.getByRole('button', { name: 'Disable' }).click();
  await confirm('Disable');
  await page.getByText(/Disabled with version/).waitFor();
  await page.getByRole('button', { name: 'Enable' }).click();
  await confirm('Enable');
  await page.getByText(/Enabled with version/).waitFor();
  await open('/workflows/hello?tab=versions');
  await page.getByRole('button', { name: 'Show what version 2 changed' }).click();
  await page
    .getByText(/disabled|enabled/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Roll back to version 2' }).click();
  await confirm('Roll back');
  await page.getByText(/is current now/).waitFor();
  const shown = await fetch(`${service.baseUrl}/api/admin/workflows/hello`);
  expect(
    ((await shown.json()) as { readonly definition: { readonly enabled: boolean } }).definition.enabled,
  ).toBe(false);
});

/** The lines of connections, in whole pixels. */
const pathOf = async (lines: Locator): Promise<string> => {
  const paths = await lines.evaluateAll((each) => each.map((line) => line.getAttribute('d') ?? ''));
  return paths.join('').replaceAll(/\d+\.\d+/g, (number) => String(Math.round(Number(number))));
};

test('from afar, connections lie where they do nearby', async () => {
  await put('workflows/console-loop', {
    id: 'console-loop',
    name: 'Loop',
    enabled: false,
    nodes: [
      { id: 'start', type: 'manualTrigger' },
      { id: 'check', type: 'if', parameters: { condition: '{{ $nodes.work = null }}' } },
      { id: 'work', type: 'set', parameters: { values: { a: 1 } } },
      { id: 'done', type: 'set', parameters: { values: { b: 1 } } },
    ],
    connections: [
      { sourceNodeId: 'start', targetNodeId: 'check' },
      { sourceNodeId: 'check', sourceOutput: 'true', targetNodeId: 'work' },
      { sourceNodeId: 'work', targetNodeId: 'check' },
      { sourceNodeId: 'check', sourceOutput: 'false', targetNodeId: 'done' },
    ],
  });
  for (const path of ['/workflows/console-loop', '/workflows/console-loop/edit']) {
    await open(path);
    const nearby = page.locator('.react-flow__edge .react-flow__edge-path');
    await nearby.nth(3).waitFor({ state: 'attached' });
    const lines = await pathOf(nearby);
    while ((await nearby.count()) > 0) await page.getByRole('button', { name: 'Zoom out' }).click();
    const far = page.locator('.graph-far-connections path');
    await far.waitFor({ state: 'attached' });
    expect(await pathOf(far)).toBe(lines);
    while ((await far.count()) > 0) await page.getByRole('button', { name: 'Zoom in' }).click();
    await nearby.nth(3).waitFor({ state: 'attached' });
  }
});

test('a removed workflow is restored from its versions, and the page says so', async () => {
  await put('workflows/console-gone', {
    id: 'console-gone',
    name: 'Gone',
    enabled: false,
    nodes: [{ id: 'request', type: 'webhookTrigger', parameters: { path: '/gone' } }],
    connections: [],
  });
  const removed = await fetch(`${service.baseUrl}/api/admin/workflows/console-gone`, { method: 'DELETE' });
  expect(removed.status).toBe(200);
  await open('/workflows/console-gone');
  await page.getByText('The workflow was removed.').waitFor();
  await page.getByRole('button', { name: 'Roll back to version 1' }).click();
  await confirm('Roll back');
  await page.getByRole('heading', { name: 'Gone', level: 1 }).waitFor();
  await page.getByText(/which is current now/).waitFor();
  // Only the workflow that was missing is reported by the browser.
  expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('a removed credential is not asked for again', async () => {
  await put('credentials/console-unused', {
    type: 'httpBearer',
    secrets: { token: 'any-token' },
    hosts: ['example.com'],
  });
  await open('/credentials/console-unused');
  await page.getByRole('button', { name: 'Remove' }).click();
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await confirm('Remove');
  await removed;
  await page.getByText('console-unused is removed').waitFor();
  await page.getByRole('link', { name: 'Show all credentials' }).click();
  await page.getByRole('heading', { name: 'Credentials', level: 1 }).waitFor();
});

test('limits on the calls of a credential are set, refused and removed', async () => {
  await put('credentials/console-limited', {
    type: 'httpBearer',
    secrets: { token: 'any-token' },
    hosts: ['example.com'],
  });
  await open('/credentials/console-limited');
  const change = async (perSecond: string, atOnce: string) => {
    await page.getByRole('button', { name: 'Change limits' }).click();
    await page.getByLabel('Calls per second').fill(perSecond);
    await page.getByLabel('Calls at a time').fill(atOnce);
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
  };
  await change('501', '');
  await page.getByText('must be at most 500').first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await change('0.5', '4');
  await page.getByText('1 call in 2 s, 4 at a time').waitFor();
  await change('', '');
  await page.getByText('None', { exact: true }).waitFor();
  // Only the change that was refused is reported by the browser.
  expect(faults.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('a new host of a credential asks for its secret again, and says why; one host less does not', async () => {
  await put('credentials/console-hosts', {
    type: 'httpBearer',
    secrets: { token: 'any-token' },
    hosts: ['a.example', 'b.example'],
  });
  await open('/credentials/console-hosts');
  const dialog = page.getByRole('dialog');
  const change = async (hosts: string) => {
    await page.getByRole('button', { name: 'Change hosts' }).click();
    await dialog.getByRole('textbox').first().fill(hosts);
  };
  await change('a.example');
  await expectCount(dialog.getByLabel(/token/i), 0);
  await confirm('Change');
  await page.getByText('The hosts are changed').waitFor();
  await change('a.example\nc.example');
  await dialog.getByText('c.example would get the secret').waitFor();
  await dialog.getByLabel(/token/i).fill('another-token');
  await confirm('Change');
  await page.getByText('a.example, c.example').waitFor();
});
