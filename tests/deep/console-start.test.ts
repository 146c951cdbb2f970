import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../../scripts/pages/open-browser.ts';
import { copyProject } from '../support/copy-project.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { watchPage } from '../support/watched-page.ts';

/** The console writes a new workflow to a file. */
const project = copyProject();
let service: RunningService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  browser = await openBrowser();
  service = await startLocalService({ cwd: project.folder });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  project.remove();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1_400, height: 1_000 }, reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  faults = watchPage(page);
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const open = (path: string) => page.goto(`${service.baseUrl}/console${path}`);

const button = (name: string) => page.getByRole('button', { name, exact: true });

const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

test('a new workflow starts from a template, a JSON body or a curl command', async () => {
  await open('/new-workflow');
  await page.getByLabel('Find a template').fill('ticket');
  await page.getByText('Needs credentials language-model; an address in place of 127.0.0.1:4400').waitFor();
  await button('Use the template Sort ticket').click();
  await node('model').waitFor();
  await expect(page.getByLabel('Workflow name').inputValue()).resolves.toBe('Sort ticket');
  await button('Undo').click();

  await page.getByRole('tab', { name: 'JSON body' }).click();
  await page.getByRole('textbox', { name: 'JSON body' }).fill('{"total": 12}');
  await button('Start with this webhook').click();
  await node('webhook').waitFor();
  await page.getByLabel('Workflow id').fill('from-body');
  await node('webhook').click();
  await button('Add after').click();
  await button('From a curl command').click();
  const command = page.getByRole('textbox', { name: 'curl command' });
  await command.fill(`curl ${service.baseUrl}/x -H 'authorization: Bearer s3cr3t' -k`);
  await page.getByText('The option --insecure is left out.').waitFor();
  await command.fill(`curl 'http://127.0.0.1:1/x' -d a=1`);
  await button('Add this request').click();
  await node('httpRequest').waitFor();
  await button('Save').click();
  await page.waitForURL(/from-body\/edit/);
  const answer = await fetch(`${service.baseUrl}/api/webhook/from-body/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"total": "many"}',
  });
  expect(answer.status).toBe(400);
});
