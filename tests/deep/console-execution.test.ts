import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { clickTwice } from '../support/click-twice.ts';
import { expectRead } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';

/** Refuses an item "X", and fails if the total is more than 100. */
const order = {
  id: 'console-order',
  name: 'Order',
  enabled: true,
  settings: { execution: 'durable', recordData: 'always' },
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { path: '/order', responseMode: 'onReceived' } },
    {
      id: 'each',
      type: 'forEach',
      parameters: { items: '{{ body.items }}', onItemFailure: 'continue' },
    },
    { id: 'known', type: 'if', parameters: { condition: "{{ item != 'X' }}" } },
    { id: 'refuse', type: 'stopAndError', parameters: { message: 'X is out of stock' } },
    { id: 'small', type: 'if', parameters: { condition: '{{ $trigger.body.total <= 100 }}' } },
    { id: 'pack', type: 'set', parameters: { values: { packed: true } } },
    { id: 'tooMuch', type: 'stopAndError', parameters: { message: 'more than 100' } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'each' },
    { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'known' },
    { sourceNodeId: 'known', sourceOutput: 'false', targetNodeId: 'refuse' },
    { sourceNodeId: 'each', targetNodeId: 'small' },
    { sourceNodeId: 'small', sourceOutput: 'true', targetNodeId: 'pack' },
    { sourceNodeId: 'small', sourceOutput: 'false', targetNodeId: 'tooMuch' },
  ],
};

let service: RunningService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the page must not cause. */
let faults: string[];

beforeAll(async () => {
  browser = await aBrowser();
  service = await startLocalService();
  await fetch(`${service.baseUrl}/api/admin/workflows/${order.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  faults = [];
  context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  page.on('console', (message) => {
    // The browser notes each 404; without another success there is none to compare with at first.
    if (message.location().url.endsWith('/comparison') && message.text().includes('404')) return;
    if (['error', 'warning'].includes(message.type()))
      faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => void faults.push(error.message));
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const send = async (workflowId: string, path: string, body: unknown): Promise<string> => {
  const response = await fetch(`${service.baseUrl}/api/webhook/${workflowId}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { executionId } = (await response.json()) as { readonly executionId: string };
  return executionId;
};

const statusOf = async (executionId: string): Promise<string> => {
  const response = await fetch(`${service.baseUrl}/api/admin/executions/${executionId}`);
  return ((await response.json()) as { readonly status: string }).status;
};

/** Sends an order, and waits for its end. */
const ended = async (body: unknown): Promise<string> => {
  const executionId = await send(order.id, 'order', body);
  await poll(async () => /succeeded|failed/.test(await statusOf(executionId)));
  return executionId;
};

const open = (path: string) => page.goto(`${service.baseUrl}/console/executions/${path}`);

const panel = (nodeId: string) => page.getByRole('region', { name: `Node ${nodeId}` });

test('an operator finds why an order failed, by the keyboard alone', async () => {
  await open(await ended({ total: 120, items: ['A', 'X'] }));
  const show = page.getByRole('button', { name: 'Show the node' });
  await show.focus();
  await page.keyboard.press('Enter');
  await panel('tooMuch').getByText('more than 100').waitFor();
  await page.getByRole('treeitem', { name: /^small/ }).waitFor();

  await page.getByRole('treeitem', { name: /^tooMuch/ }).focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown'])
    await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  // The failed item is the first one, though it came last.
  await panel('refuse').getByText('X is out of stock').waitFor();
  await expectRead(async () => new URL(page.url()).searchParams.get('within'), 'each/0/1');
  await page.reload();
  await panel('refuse').getByText('X is out of stock').waitFor();

  await page.getByRole('treeitem', { name: /^small/ }).click();
  await panel('small')
    .getByText(/total 120 <= 100/)
    .waitFor();
});

test('a retry with an edited input succeeds, is followed, and is compared with the original', async () => {
  const executionId = await ended({ total: 120, items: ['A'] });
  await open(executionId);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('No node that runs acts on the outside.').waitFor();
  await dialog.getByText('Edit the input').click();
  const editor = dialog.getByRole('textbox', { name: 'Input of the trigger' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{');
  await dialog
    .getByText(/This is not JSON/)
    .first()
    .waitFor();
  await page.keyboard.press('Control+a');
  const recorded = await fetch(`${service.baseUrl}/api/admin/executions/${executionId}`);
  const { nodes } = (await recorded.json()) as { readonly nodes: readonly [{ readonly input: object }] };
  await page.keyboard.insertText(
    JSON.stringify({ ...nodes[0].input, body: { total: 50, items: ['A'] } }, null, 2),
  );
  await dialog.getByText('Replaces body.').waitFor();
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click();

  await page.getByText('Its input was edited').waitFor();
  await page.getByText('Succeeded').first().waitFor();
  await page.getByText('/body/total').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: /Compare with/ }).click();
  await page.getByText('The one that it retries').click();
  const run = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'small' }) });
  await run.getByText('Other branch').waitFor();
  await run.getByText('gave false: $trigger.body.total 120 <= 100').waitFor();
  await run.getByText('gave true: $trigger.body.total 50 <= 100').waitFor();
});

test('only failed items are retried, once for an answer that was lost and for two clicks', async () => {
  const executionId = await ended({ total: 20, items: ['A', 'X'] });
  await open(executionId);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Only the failed item' }).and(page.locator(':checked')).waitFor();
  await dialog.getByText('No node that runs acts on the outside.').waitFor();
  const keys: (string | undefined)[] = [];
  await page.route(`**/${executionId}/retry`, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    const response = await route.fetch();
    await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
  });
  const retry = dialog.getByRole('button', { name: 'Retry', exact: true });
  await retry.click();
  await dialog.getByText('The service does not answer').first().waitFor();
  await clickTwice(retry);
  await page.getByText(', only its failed items').waitFor();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  expect(faults.splice(0)).toEqual([expect.stringContaining('net::ERR_FAILED')]);
});

test('a waiting approval is cancelled after a question', async () => {
  const executionId = await send('approval', 'approval', { what: 'A kettle' });
  await open(executionId);
  await page.getByRole('button', { name: /^Cancel this execution/ }).click();
  await page.getByRole('button', { name: 'Let it continue' }).click();
  expect(await statusOf(executionId)).not.toBe('cancelled');
  await page.getByRole('button', { name: /^Cancel this execution/ }).click();
  await page.getByRole('button', { name: 'Cancel the execution' }).click();
  await page.getByText('The execution is cancelled.').first().waitFor();
  expect(await statusOf(executionId)).toBe('cancelled');
  await page.getByRole('button', { name: 'Retry', exact: true }).waitFor();
});
