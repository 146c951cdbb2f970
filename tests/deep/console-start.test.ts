import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { copyProject } from '../support/copy-project.ts';
import { expectCount, expectValue } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { pasteOver } from '../support/paste-over.ts';
import { watchPage } from '../support/watched-page.ts';

/** The console writes a new workflow to a file. */
const project = copyProject();
let service: RunningService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  browser = await aBrowser();
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

const callWebhook = (workflowId: string, body: string) =>
  fetch(`${service.baseUrl}/api/webhook/${workflowId}/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

test('a new workflow starts from a template, a JSON body or a curl command', async () => {
  await open('/new-workflow');
  await page.getByLabel('Find a template').fill('ticket');
  await page.getByText('Needs credentials language-model; an address in place of 127.0.0.1:4400').waitFor();
  await button('Use the template Sort ticket').click();
  await node('model').waitFor();
  await expectValue(page.getByLabel('Workflow name'), 'Sort ticket');
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
  expect((await callWebhook('from-body', '{"total": "many"}')).status).toBe(400);
});

test('what is built is tried on the body that it began with, and the body of a loop on its last item', async () => {
  await open('/new-workflow');
  await page.getByRole('tab', { name: 'JSON body' }).click();
  await page.getByRole('textbox', { name: 'JSON body' }).fill('{"prices": [3, 5]}');
  await button('Start with this webhook').click();
  await node('webhook').click();
  const data = (id: string) => page.getByRole('region', { name: `Data of ${id}` });
  await data('webhook')
    .getByText(/^Typed at/)
    .first()
    .waitFor();
  await page.reload();

  await page.getByRole('tab', { name: 'JSON', exact: true }).click();
  const each = { id: 'each', type: 'forEach', parameters: { items: '{{ body.prices }}' } };
  const double = { id: 'double', type: 'set', parameters: { values: { twice: '{{ item * 2 }}' } } };
  const definition = {
    id: 'tried-loop',
    name: 'Tried loop',
    nodes: [{ id: 'webhook', type: 'webhookTrigger', parameters: {} }, each, double],
    connections: [
      { sourceNodeId: 'webhook', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'double' },
    ],
  };
  await pasteOver(
    page.getByRole('textbox', { name: 'JSON of the workflow' }),
    JSON.stringify(definition, null, 2),
  );
  await page.getByRole('tab', { name: 'Graph' }).click();
  await button('Run all').click();
  await page.getByText('Ran 1 node.').waitFor();
  await node('double').click();
  await page.getByRole('tab', { name: 'Input', exact: true }).click();
  await data('double').getByRole('group', { name: 'Input of double' }).getByText('item').waitFor();
  await page.getByRole('tab', { name: 'Output', exact: true }).click();
  const output = data('double').getByRole('group', { name: 'Output main of double' });
  await output.getByText('10').waitFor();
  const twice = page.getByRole('group', { name: 'twice', exact: true });
  await pasteOver(twice.getByRole('textbox'), '{{ item * 3 }}');
  await output.getByText('15').waitFor();
  await data('double').getByText('Run as you type').waitFor();

  await button('Save').click();
  await page.waitForURL(/tried-loop\/edit/);
  const answer = await callWebhook('tried-loop', '{"prices": [7]}');
  const { executionId } = (await answer.json()) as { readonly executionId: string };
  await open(`/workflows/tried-loop/edit?execution=${executionId}`);
  await page.getByText(`From execution ${executionId}`).first().waitFor();
  await node('each').click();
  await data('each').getByText('From execution').waitFor();
  await expectCount(data('each').getByText('Stale'), 0);
  await node('double').click();
  await page.getByRole('tab', { name: 'Output', exact: true }).click();
  await output.getByText('21').waitFor();
});

test('code whose request is lost is asked for again: views, parts of them, and what a field needs', async () => {
  let lost = 0;
  let isLosing = false;
  await page.route('**/*.js', (route) => {
    if (!isLosing) return route.continue();
    isLosing = false;
    lost++;
    return route.abort();
  });
  const losing = async (act: () => Promise<unknown>, shown: ReturnType<Page['locator']>) => {
    isLosing = true;
    await act();
    await shown.waitFor();
  };
  await open('/workflows');
  await button('New workflow').waitFor();
  const view = page.getByRole('heading', { name: 'Variables', level: 1 });
  await losing(() => page.getByRole('link', { name: 'Variables' }).click(), view);
  await page.getByRole('link', { name: 'Workflows' }).click();
  await losing(() => button('New workflow').click(), page.getByLabel('Find a template'));
  await page.getByRole('tab', { name: 'curl command' }).click();
  const read = page.getByText('The option --insecure is left out.');
  await losing(
    () => page.getByRole('textbox', { name: 'curl command' }).fill('curl https://a.example -k'),
    read,
  );
  expect(lost).toBe(3);
  expect(faults.splice(0).map((fault) => /net::ERR_FAILED/.test(fault))).toEqual([true, true, true]);
});
