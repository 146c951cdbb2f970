import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { copyProject } from '../support/copy-project.ts';
import { expectCount } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { watchPage } from '../support/watched-page.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The console writes a new workflow to a file. */
const project = copyProject();
let service: RunningService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Messages in the browser's console, which violations of the page's policy are too. */
let faults: string[];

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startLocalService({ cwd: project.folder, env: { LOG_LEVEL: 'error' } }),
    aBrowser(),
  ]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
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
const field = (name: string) => page.getByRole('group', { name, exact: true });
const tab = (name: string) => page.getByRole('tab', { name, exact: true });
const said = (text: string) => page.getByRole('status').filter({ hasText: text }).first().waitFor();

const select = async (id: string) => {
  await page.locator(`.react-flow__node[data-id="${id}"]`).click();
  await page.getByRole('heading', { name: `Node ${id}` }).waitFor();
};

const write = async (name: string, text: string) => {
  await page.getByRole('textbox', { name, exact: true }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
};

const typeOutput = async (id: string, value: unknown) => {
  await select(id);
  await button('Type the output').click();
  await write(`Output of ${id} as JSON`, JSON.stringify(value));
  await button('Use this output').click();
};

const callWebhook = async (body: unknown) => {
  const response = await fetch(`${service.baseUrl}/api/webhook/tried/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as unknown };
};

const listExecutions = async (query: string) => {
  const answer = await fetch(`${service.baseUrl}/api/admin/executions?workflowId=tried&${query}`);
  return ((await answer.json()) as { executions: { executionId: string; status: string }[] }).executions;
};

const drawn = (greeting: string) => ({
  id: 'tried',
  name: 'Tried',
  enabled: true,
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'greet', type: 'set', parameters: { values: { greeting } } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
});

test('a node in a body is tried with an item: the first one of the data, or one that is typed', async () => {
  const definition = {
    ...{ id: 'items', name: 'Items', enabled: true },
    nodes: [
      { id: 'start', type: 'manualTrigger' },
      { id: 'each', type: 'forEach', parameters: { items: '{{ orders }}' } },
      { id: 'pick', type: 'noOp' },
      { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ $item.name }}' } } },
    ],
    connections: [
      { sourceNodeId: 'start', targetNodeId: 'each' },
      { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'pick' },
      { sourceNodeId: 'pick', targetNodeId: 'greet' },
    ],
  };
  await open('/new-workflow');
  await tab('JSON').click();
  await write('JSON of the workflow', JSON.stringify(definition, null, 2));
  await tab('Graph').click();
  await typeOutput('start', { orders: [{ name: 'Ada' }, { name: 'Bob' }] });
  await select('greet');
  await field('greeting').getByText('"Hello, Ada"').waitFor();
  await select('each');
  await button('Type the output').click();
  await write('Output of each as JSON', '{ "item": { "name": "Eve" }, "index": 7 }');
  await button('Use this output').click();
  await select('greet');
  await field('greeting').getByText('"Hello, Eve"').waitFor();
  await button('Try this node').click();
  await said('Ran 1 node.');
  const output = page.getByRole('group', { name: 'Output main of greet' });
  await output.getByText('"Hello, Eve"').waitFor();
});

const MARKUP = '<img src=x onerror="document.title=1">';

test('a draft is tried, its failure is mended by the data, and the live failure, too', async () => {
  await page.addInitScript({ path: axeFile });
  await open('/new-workflow');
  await tab('JSON').click();
  await write('JSON of the workflow', JSON.stringify(drawn('Hello, {{ $uppercase(body.count) }}'), null, 2));
  await tab('Graph').click();

  // The failure stands at the node.
  await typeOutput('request', { body: { name: MARKUP, count: 3, items: [{ price: 1 }, { price: 2 }] } });
  await page.getByRole('button', { name: /^greet, set, has a problem/ }).waitFor();
  await button('Run all').click();
  await said('greet failed.');
  await select('greet');
  const data = page.getByRole('region', { name: 'Data of greet' });
  await data.getByText('ExpressionError').waitFor();

  // A field of the data becomes the expression, by the keyboard and by the mouse.
  const tree = data.getByRole('group', { name: 'Input of greet' });
  await tree.getByRole('button', { name: 'name', exact: true }).focus();
  await page.keyboard.press('Enter');
  await button('Copy expression').focus();
  await page.keyboard.press('Enter');
  await data.getByText('Copied').waitFor();
  await field('greeting').getByRole('textbox').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
  await field('greeting').getByText(JSON.stringify(MARKUP)).waitFor();
  await data.getByText('ExpressionError').waitFor({ state: 'detached' });
  await tree.getByRole('button', { name: 'count', exact: true }).dragTo(field('keepInput'));
  await field('keepInput').getByText('Expected true or false.').waitFor();
  await button('Use a value for keepInput').click();
  await field('keepInput').getByText('Expected true or false.').waitFor({ state: 'detached' });
  await tree.getByRole('button', { name: 'Unfold items' }).waitFor();
  await data.getByLabel('Search in Input of greet').fill('PRICE');
  await tree.getByRole('button', { name: 'body › items › 1 › price' }).waitFor();

  // The node touches nothing outside, so it has run as one types.
  await tab('Output').click();
  await data.getByRole('group', { name: 'Output main of greet' }).getByText(JSON.stringify(MARKUP)).waitFor();
  await data.getByText('Run as you type').waitFor();
  await button('Run all').click();
  await said('Ran 0 nodes. All outputs are up to date.');
  expect(await listExecutions('trial=true')).toEqual([]);
  await expectCount(page.locator('img[src="x"]'), 0);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run('section[aria-label="Data of greet"]'),
  );
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);

  // A pin is kept when the node changes, and says that it is stale.
  await button('Pin').click();
  await data.getByText(', pinned').waitFor();
  await field('greeting').getByRole('textbox').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('Hello, {{ $uppercase(body.name) }}');
  await data.getByText(/^Stale/).waitFor();
  await button('Run all').click();
  await said('Ran 0 nodes.');
  await page.reload();
  await select('greet');
  await data.getByText(/^Stale/).waitFor();
  await button('Unpin').click();
  await data.getByText(/^Stale/).waitFor({ state: 'detached' });
  await data.getByText('Run as you type').waitFor();

  // Trials are marked, and no one calls the webhook of a draft.
  await button('Try this node').click();
  await said('Ran 1 node.');
  expect((await listExecutions('trial=true')).length).toBe(1);
  expect(await listExecutions('trial=false')).toEqual([]);
  await button('Save').click();
  await page.waitForURL(/workflows\/tried\/edit/);
  await select('greet');
  await data.getByText(/^Trial of/).waitFor();
  expect(await callWebhook({ name: 'Ada' })).toEqual({ status: 200, answer: { greeting: 'Hello, ADA' } });

  // What fails live is mended with the data of the execution.
  expect((await callWebhook({ name: 5 })).status).toBe(500);
  const [failed] = await listExecutions('trial=false&status=failed');
  await open(`/executions/${failed?.executionId}`);
  await button('Edit with this data').click();
  await page.waitForURL(/workflows\/tried\/edit/);
  await select('greet');
  await data.getByText(`From execution ${failed?.executionId}`).waitFor();
  await field('greeting').getByRole('textbox').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('Hello, {{ $uppercase($string(body.name)) }}');
  await field('greeting').getByText('"Hello, 5"').waitFor();
  await button('Try this node').click();
  await said('Ran 1 node.');
  await button('Save').click();
  await page.getByText(/Saved as version/).waitFor();
  expect(await callWebhook({ name: 5 })).toEqual({ status: 200, answer: { greeting: 'Hello, 5' } });
});

test('what acts on the outside is asked for, and data of any size is refused or shortened', async () => {
  const { nodes, connections, ...workflow } = drawn("{{ $pad('x', 5300000) }}");
  const outside = {
    ...workflow,
    nodes: [...nodes, { id: 'call', type: 'httpRequest', parameters: { url: 'https://api.example/' } }],
    connections: [...connections, { sourceNodeId: 'request', targetNodeId: 'call' }],
  };
  await open('/new-workflow');
  await tab('JSON').click();
  await write('JSON of the workflow', JSON.stringify(outside, null, 2));
  await tab('Graph').click();
  await select('call');
  await button('Run to here').click();
  const dialog = page.getByRole('dialog', { name: 'Run nodes that act on the outside?' });
  await dialog.getByText('call', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await typeOutput('call', { status: 200, body: { ['deep'.repeat(100)]: '\u202eright to left' } });
  await page.getByText(', pinned').waitFor();
  await button('Run all').click();
  await said('Ran 1 node.'); // the other is pinned
  await select('greet');
  await page.getByText(/^The output is too large/).waitFor();
});

test('a request on record is chosen as data, and a run is stopped', async () => {
  const put = await fetch(`${service.baseUrl}/api/admin/workflows/tried`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...drawn('{{ body.name }}'),
      nodes: [
        {
          id: 'request',
          type: 'webhookTrigger',
          parameters: { responseMode: 'lastNode', recordRequests: true },
        },
        { id: 'greet', type: 'set', parameters: { values: { greeting: '{{ body.name }}' } } },
      ],
    }),
  });
  expect(put.ok).toBe(true);
  await callWebhook({ name: 'Grace', items: [{ price: 4 }] });
  await open('/workflows/tried/edit');
  await select('greet');
  await page.getByRole('button', { name: /^Data/ }).click();
  await page.getByRole('option', { name: /POST \/webhook/ }).click();
  const data = page.getByRole('region', { name: 'Data of greet' });
  await field('greeting').getByText('"Grace"').waitFor();
  await data.getByText('Table', { exact: true }).click();
  await data.getByRole('table', { name: 'body › items' }).getByText('4', { exact: true }).waitFor();

  await page.route('**/api/admin/workflows/try', () => {}); // no answer
  await button('Try this node').click();
  await button('Stop').click();
  await said('Stopped');
  await page.unroute('**/api/admin/workflows/try');
  await button('Try this node').click();
  await said('Ran 1 node.');

  await page.setViewportSize({ width: 360, height: 800 });
  await data.getByRole('button', { name: /^How to show Output main of greet/ }).waitFor();
  const width = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  expect(width).toBe(0);
});

test('the next request is caught as data and starts nothing, unless the page is left before', async () => {
  await open('/workflows/tried/edit');
  await select('greet');
  const before = await listExecutions('trial=false');
  await button('Listen').click();
  await said('The next request to request is caught as a test.');
  expect((await callWebhook({ name: 'Edsger' })).status).toBe(202);
  await said('Caught POST /webhook: it started nothing.');
  await field('greeting').getByText('"Edsger"').waitFor();
  expect(await listExecutions('trial=false')).toEqual(before);

  await button('Listen').click();
  await button('Stop listening').click();
  await said('Stopped: no request came.');
  await button('Listen').click();
  await said('The next request to request is caught as a test.');
  const left = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('link', { name: 'Executions', exact: true }).click();
  await left;
  expect((await callWebhook({ name: 'Barbara' })).status).toBe(200);

  // The page is left before the listening has begun.
  await open('/workflows/tried/edit');
  let answer = () => {};
  await page.route('**/listening', async (route) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    await route.continue();
  });
  const asked = page.waitForRequest('**/listening');
  await button('Listen').click();
  await asked;
  await page.getByRole('link', { name: 'Executions', exact: true }).click();
  await page.getByRole('heading', { name: /^Executions/ }).waitFor();
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
  answer();
  await ended;
  expect(await callWebhook({ name: 'Barbara' })).toEqual({ status: 200, answer: { greeting: 'Barbara' } });
});

test('a node that takes too long ends, and holds up neither the page nor the other nodes', async () => {
  const { nodes, connections, ...workflow } = drawn('{{ body.name }}');
  // Several times the limit on a quick machine.
  const values = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`sum${index}`, `{{ $sum([1..300000].($ * ${index})) }}`]),
  );
  const slow = {
    ...workflow,
    nodes: [{ id: 'slow', type: 'set', parameters: { values } }, ...nodes],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'slow' }, ...connections],
  };
  await open('/new-workflow');
  await tab('JSON').click();
  await write('JSON of the workflow', JSON.stringify(slow, null, 2));
  await tab('Graph').click();
  await select('greet');
  await page.getByRole('region', { name: 'Data of greet' }).getByText('Run as you type').waitFor();
  await select('slow');
  await page
    .getByRole('region', { name: 'Data of slow' })
    .getByText('the execution ran out of time')
    .waitFor();
});

test('while the service does not answer, the last output stays and the page says so', async () => {
  await open('/workflows/tried/edit');
  await select('greet');
  await typeOutput('request', { body: { name: 'Ada' } });
  await select('greet');
  await tab('Output').click();
  const output = page.getByRole('group', { name: 'Output main of greet' });
  await output.getByText('"Ada"').waitFor();
  await page.route('**/api/admin/workflows/evaluate', (route) => route.abort());
  const change = async (text: string) => {
    await field('greeting').getByRole('textbox').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };
  await change('Hello, {{ body.name }}');
  const alert = page.getByRole('alert').filter({ hasText: 'The service does not answer' });
  await alert.waitFor();
  await page.getByText('The outputs are not up to date').waitFor();
  await output.getByText('"Ada"').waitFor();
  await page.getByText(/^Stale/).waitFor();
  await page.unroute('**/api/admin/workflows/evaluate');
  await change('Hi, {{ body.name }}');
  await output.getByText('"Hi, Ada"').waitFor();
  await alert.waitFor({ state: 'detached' });
  expect([...new Set(faults.splice(0))]).toEqual([expect.stringContaining('ERR_FAILED')]);
});

test('for a reader, who may try no node, one that touches nothing outside is evaluated', async () => {
  const problem = {
    type: 'urn:hookloom:problem:aws-denied',
    title: 'Not allowed',
    status: 403,
    detail: 'AWS denies it.',
  };
  const contentType = 'application/problem+json';
  await page.route('**/api/admin/workflows/try', (route) =>
    route.fulfill({ status: 403, contentType, body: JSON.stringify(problem) }),
  );
  await open('/new-workflow');
  await tab('JSON').click();
  const draft = drawn('Hello, {{ body.name }}');
  const call = { id: 'call', type: 'httpRequest', parameters: { url: 'https://shop.example/' } };
  const connections = [...draft.connections, { sourceNodeId: 'greet', targetNodeId: 'call' }];
  const all = { ...draft, nodes: [...draft.nodes, call], connections };
  await write('JSON of the workflow', JSON.stringify(all));
  await tab('Graph').click();
  await typeOutput('request', { body: { name: 'Ada' } });
  await select('greet');
  const refused = page.waitForResponse('**/api/admin/workflows/try');
  await button('Try this node').click();
  await refused;
  await said('Ran 1 node.');
  await select('call');
  await button('Try this node').click();
  await said('call could not be tried.');
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('403')));
});
