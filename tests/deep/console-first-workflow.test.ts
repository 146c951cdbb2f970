import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { copyProject } from '../support/copy-project.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { watchPage } from '../support/watched-page.ts';

/** The console writes a new workflow to a file. */
const project = copyProject();
let api: LocalServer;
let service: RunningService;
let browser: Browser;

beforeAll(async () => {
  browser = await aBrowser();
  api = await aLocalServer({
    '/orders/A-7': ({ headers }, response) => {
      response.writeHead(headers.authorization === 'Bearer s3cret-t0ken' ? 200 : 401, {
        'content-type': 'application/json',
      });
      response.end('{"customer": "Ada", "balance": 1200}');
    },
  });
  service = await startLocalService({ cwd: project.folder, env: { OUTBOUND_ALLOW: 'localhost' } });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await api?.close();
  project.remove();
});

/** Whether all of one element is seen in the other one. */
const isWithin = async (inner: Locator, outer: Locator): Promise<boolean> => {
  const [one, other] = [await inner.boundingBox(), await outer.boundingBox()];
  if (one === null || other === null) return false;
  const isInWidth = one.x >= other.x && one.x + one.width <= other.x + other.width;
  return isInWidth && one.y >= other.y && one.y + one.height <= other.y + other.height;
};

test('a first workflow is built without the docs: a webhook with a key and a schema, an API, a branch, an answer', async () => {
  const context = await browser.newContext({
    viewport: { width: 1_400, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults = watchPage(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const addAfter = async (output: string, type: string, id = type) => {
    await button(output).click();
    await page.getByLabel('Find a node type').fill(type);
    await page.getByRole('dialog').getByRole('button', { name: type, exact: true }).click();
    await page.getByRole('heading', { name: `Node ${id}`, exact: true }).waitFor();
    await poll(() => isWithin(node(id), page.locator('.editor-graph')));
  };
  const createCredential = async (id: string, fields: Readonly<Record<string, string>>) => {
    await button('Create a credential').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id').fill(id);
    for (const [name, value] of Object.entries(fields)) await dialog.getByLabel(name).fill(value);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  };

  const origin = `http://localhost:${api.port}`; // an address is no host of a credential

  await page.goto(`${service.baseUrl}/console/workflows`);
  await button('New workflow').click();
  await page.getByRole('tab', { name: 'JSON body' }).click();
  await page.getByRole('textbox', { name: 'JSON body' }).fill('{"order": "A-7"}');
  await button('Start with this webhook').click();
  await page.getByLabel('Workflow id').fill('first');
  await node('webhook').click();

  // The id is that of a sample's credential.
  await createCredential('orders-key', {});
  await page.getByText('A credential has this id already: choose another.').waitFor();
  expect(faults.splice(0)).toEqual([expect.stringContaining('412')]);
  await page.getByRole('dialog').getByLabel('Id').fill('first-key');
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  const secret = page.getByRole('dialog').getByText(/^[\w-]{40,}$/);
  const key = (await secret.textContent()) ?? '';
  await button('Close and forget the secret').last().click();
  await page.getByRole('group', { name: 'responseMode' }).getByRole('button').first().click();
  await page.getByRole('option', { name: 'responseNode', exact: true }).click();

  await addAfter('Add after', 'httpRequest');
  const url = page.getByRole('textbox', { name: 'url (required)' });
  await page.getByText('is required').waitFor();
  await url.fill(`${origin}/orders/A-7`);
  await page.getByText('is required').waitFor({ state: 'detached' });
  await createCredential('first-token', { token: 's3cret-t0ken', Hosts: new URL(origin).host });
  await page.getByLabel('Credential', { exact: true }).getByText('first-token').waitFor();
  await button('Try this node').click();
  await page.getByRole('tabpanel', { name: 'Output' }).getByText('1200').waitFor(); // unasked

  await addAfter('Add after', 'if');
  await page.getByRole('textbox', { name: 'condition' }).press('End');
  for (let times = 0; times < 3; times++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.insertText('body.balance > 1000');
  await page.getByText('On the sample').first().waitFor();
  await addAfter('Add after true', 'respondToWebhook');
  await page.getByRole('textbox', { name: 'body' }).fill('large');
  await node('if').click();
  await addAfter('Add after false', 'respondToWebhook', 'respondToWebhook2');

  await button('Save').click();
  await page.getByText('Saved as version 1 and to workflows/first.json').waitFor();
  const send = (body: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${service.baseUrl}/api/webhook/first/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const withKey = { 'x-api-key': key };
  expect((await send('{"order": "A-7"}', {})).status).toBe(401);
  expect((await send('{"order": 7}', withKey)).status).toBe(400);
  expect(await (await send('{"order": "A-7"}', withKey)).text()).toBe('large');
  await page.getByRole('link', { name: 'first', exact: true }).click();
  await page.getByRole('heading', { name: 'My workflow' }).first().waitFor();
  await context.close();
  expect(faults).toEqual([]);
});
