import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { expectCount } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { pasteOver } from '../support/paste-over.ts';
import { watchPage } from '../support/watched-page.ts';

let service: RunningService;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  browser = await aBrowser();
  service = await startLocalService();
  page = await browser.newPage({ viewport: { width: 1_400, height: 1_000 }, reducedMotion: 'reduce' });
  faults = watchPage(page);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

const writeWorkflow = async (nodes: readonly object[], connections: readonly object[]) => {
  await page.getByRole('tab', { name: 'JSON', exact: true }).click();
  const text = page.getByRole('textbox', { name: 'JSON of the workflow' });
  await pasteOver(text, JSON.stringify({ id: 'checked', name: 'Checked', nodes, connections }, null, 2));
  await page.getByRole('tab', { name: 'Graph' }).click();
};

const start = { id: 'start', type: 'webhookTrigger', parameters: { path: 'in', method: 'POST' } };

test('what is wrong stands at its field as one types, and goes when it is right', async () => {
  await page.route('**/api/admin/workflows/validate', () => {}); // the service does not answer
  await page.goto(`${service.baseUrl}/console/new-workflow`);
  await writeWorkflow(
    [start, { id: 'pick', type: 'set', parameters: { values: { total: '{{ $nodes.strat.body.total }}' } } }],
    [{ sourceNodeId: 'start', targetNodeId: 'pick' }],
  );
  await button(/^1 problem/).click();
  await button('pick/values/total').click();
  const total = page.getByRole('group', { name: 'total', exact: true });
  await total
    .getByText(/there is no node "strat"; did you mean/)
    .first()
    .waitFor();
  await page.getByLabel('pick, set, has a problem').waitFor();
  await button('Use {{ $nodes.start.body.total }}').first().click();
  await button(/^1 problem/).waitFor({ state: 'detached' });
});

test('nodes that nothing leads to are disabled, and a connection is removed, by a click', async () => {
  await page.goto(`${service.baseUrl}/console/new-workflow`);
  const pass = (id: string) => ({ id, type: 'set', parameters: { values: {} } });
  const [lead, copy] = [0, 1].map(() => ({ sourceNodeId: 'start', targetNodeId: 'a' }));
  await writeWorkflow([start, pass('a'), pass('b'), pass('c')], [
    lead,
    copy,
    { sourceNodeId: 'b', targetNodeId: 'c' },
  ] as object[]);
  await button(/^2 problems/).click();
  await button('Set disabled to true, at 2 nodes').click();
  await page.getByLabel(/^b, set, disabled/).waitFor();
  await button('Remove it').click();
  await button(/ problem/).waitFor({ state: 'detached' });
  await expectCount(page.locator('.react-flow__edge'), 2);
});

/** The second case never counts. */
const twice = [
  { equals: 'S', output: 'small' },
  { equals: 'S', output: 'tiny' },
];

test('what only the code of a plugin checks comes from the service, a moment later', async () => {
  await page.unroute('**/api/admin/workflows/validate');
  await page.goto(`${service.baseUrl}/console/new-workflow`);
  await writeWorkflow(
    [start, { id: 'pick', type: 'switch', parameters: { value: '{{ body.size }}', cases: twice } }],
    [{ sourceNodeId: 'start', targetNodeId: 'pick' }],
  );
  await button(/^1 problem/).click();
  await button(/^pick\/cases/).waitFor();
});

test('what is wrong with a part that is not set opens it', async () => {
  // As the rule of a plugin may say.
  const errors = [
    { pointer: '#/workflows/0/definition/nodes/0/parameters/rateLimit', detail: 'lacks a limit' },
  ];
  await page.route('**/api/admin/workflows/validate', (route) =>
    route.fulfill({ json: { workflows: [{ valid: false, errors, warnings: [] }] } }),
  );
  await page.goto(`${service.baseUrl}/console/new-workflow`);
  await writeWorkflow([start], []);
  await button(/^1 problem/).click();
  await button('start/rateLimit').click();
  const part = page.getByRole('group', { name: 'rateLimit', exact: true });
  await part.getByText('lacks a limit').waitFor();
  await button('Close rateLimit').click();
  await button('Add rateLimit …').waitFor();
});

test('nothing was refused or failed in the page', () => {
  expect(faults).toEqual([]);
});
