import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { aDecision } from '../support/an-approval.ts';
import { clickTwice } from '../support/click-twice.ts';
import { expectCount, expectRead, expectText } from '../support/expect-text.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { pasteOver } from '../support/paste-over.ts';
import { poll } from '../support/poll.ts';
import { watchPage } from '../support/watched-page.ts';

let service: RunningService;
let browser: Browser;
let page: Page;
/** Messages in the browser's console, which violations of the page's policy are too. */
let faults: string[];

const send = (path: string, method?: string, body?: JsonObject): Promise<JsonObject> =>
  sendJson(`${service.baseUrl}${path}`, method, body);

/** A webhook that fails for orders that are large. */
const shipping = (limit: number): JsonObject => ({
  id: 'ship',
  name: 'Ship orders',
  enabled: true,
  nodes: [
    {
      id: 'order',
      type: 'webhookTrigger',
      parameters: { responseMode: 'onReceived', deduplication: 'body.id' },
    },
    { id: 'large', type: 'if', parameters: { condition: `{{ body.total > ${limit} }}` } },
    { id: 'fail', type: 'stopAndError', parameters: { message: '{{ "No stock for " & $trigger.body.id }}' } },
  ],
  connections: [
    { sourceNodeId: 'order', targetNodeId: 'large' },
    { sourceNodeId: 'large', sourceOutput: 'true', targetNodeId: 'fail' },
  ],
});

const intake: JsonObject = {
  id: 'intake',
  name: 'Intake',
  enabled: true,
  nodes: [
    {
      id: 'request',
      type: 'webhookTrigger',
      parameters: {
        responseMode: 'onReceived',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      },
    },
    { id: 'keep', type: 'set', parameters: { values: { kept: '{{ body.id }}' } } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'keep' }],
};

const put = (definition: JsonObject): Promise<JsonObject> =>
  send(`/api/admin/workflows/${String(definition.id)}`, 'PUT', definition);

const post = (workflowId: string, body: JsonObject): Promise<JsonObject> =>
  send(`/api/webhook/${workflowId}/webhook`, 'POST', body);

const open = (path: string) => page.goto(`${service.baseUrl}/console${path}`);

const rows = (table: string) =>
  page.getByRole('grid', { name: table }).locator('tbody tr:not(:has(td[colspan]))');

beforeAll(async () => {
  [service, browser] = await Promise.all([startLocalService({ env: { LOG_LEVEL: 'warn' } }), aBrowser()]);
  await Promise.all([put(shipping(100)), put(intake), put(aDecision({ id: 'decision' }))]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
});

beforeEach(async () => {
  faults = [];
  page = await browser.newPage();
  watchPage(page, faults);
});
afterEach(async () => {
  await page.close();
  expect(faults).toEqual([]);
});

describe('executions', () => {
  beforeAll(async () => {
    for (let index = 0; index < 80; index += 1) {
      await post('ship', { id: `A-${index}`, total: index % 4 === 0 ? 120 : 20 });
    }
    await poll(async () => {
      const { count } = await send('/api/admin/executions?workflowId=ship&status=failed&limit=100');
      return count === 20;
    });
  });

  test('the failed run of one order is found among many', async () => {
    await open('/executions');
    await page.getByLabel('Workflow').fill('shi');
    await page.getByRole('option', { name: 'ship Ship orders' }).click();
    await page.getByRole('button', { name: /^Status/ }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.keyboard.press('Escape');
    await expectRows('Executions', 20);

    await page.getByLabel('Delivery key').fill('A-40');
    await expectRows('Executions', 1);
    await expectText(rows('Executions'), expect.stringContaining('Failed'));
    await page.reload(); // a link shows the same
    await expectRows('Executions', 1);
    await expectRead(async () => new URL(page.url()).search, '?workflowId=ship&status=failed&key=A-40');
  });

  test('those that failed in the same way are a click from the overview', async () => {
    await open('');
    await page.getByRole('link', { name: 'All of these: StoppedByWorkflow in ship, node fail' }).click();
    await expectRows('Executions', 20);
    await page.getByLabel('Failed at node').fill('other');
    await page.getByText('No execution matches the filters.').waitFor();
    await page.reload(); // a link shows the same
    await page.getByText('No execution matches the filters.').waitFor();
  });

  test('new ones move nothing until they are asked for', async () => {
    await open('/executions?workflowId=ship');
    await expectRows('Executions', 50);
    const first = await rows('Executions').first().textContent();
    await post('ship', { id: 'new-1', total: 1 });
    await post('ship', { id: 'new-2', total: 1 });
    const show = page.getByRole('button', { name: 'Show 2 new' });
    await show.waitFor();
    await expectText(rows('Executions').first(), first);
    await show.click();
    await show.waitFor({ state: 'detached' });
    await expectText(rows('Executions').nth(2), first);
  });

  test('older ones are on pages of their own, which have an address', async () => {
    await open('/executions?workflowId=ship');
    await page.getByRole('button', { name: 'Older' }).click();
    await expectRows('Executions', 32);
    await page.reload();
    await expectRows('Executions', 32);
    await page.getByRole('button', { name: 'Newer' }).click();
    await expectRows('Executions', 50);
    await page.goBack();
    await expectRows('Executions', 32);
  });

  test('selected ones are retried after a question, and each outcome is told', async () => {
    await open('/executions?workflowId=ship&key=A-4');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Retry 1 selected' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByText(': retried by').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('those that match are retried together once their cause is fixed: plan, start, progress', async () => {
    await put(shipping(1_000));
    await open('/executions?workflowId=ship&status=failed');
    await page.getByRole('button', { name: 'Retry all that match' }).click();
    await page.getByRole('button', { name: /^Version to run/ }).click();
    await page.getByRole('option', { name: 'The current one' }).click();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    // One of the twenty has been retried before, and its retry has failed, too.
    await page.getByText('another execution already retries it').waitFor();
    await clickTwice(page.getByRole('button', { name: 'Retry 20 executions' }));
    await page.getByText('20 of 20 succeeded').waitFor();
    await page.getByRole('link', { name: 'Executions that it started' }).click();
    await expectRows('Executions', 20);
    await expectRead(async () => new URL(page.url()).searchParams.has('bulkRetryId'), true);
    await open('/bulk-retries');
    await expectRows('Bulk retries', 1);
    await expectText(rows('Bulk retries'), expect.stringMatching(/^Done.*ship.*20 of 20 succeeded/));
  });
});

test('a bulk retry is cancelled from its page: what has not started stays as it was', async () => {
  await put({ ...shipping(0), id: 'stuck', name: 'Stuck' });
  for (let index = 0; index < 40; index += 1) await post('stuck', { id: `S-${index}`, total: 1 });
  const failed = '/api/admin/executions?workflowId=stuck&status=failed&limit=100';
  await poll(async () => (await send(failed)).count === 40);
  const { bulkRetryId } = await send('/api/admin/executions/retry', 'POST', {
    filter: { workflowId: 'stuck' },
    rate: 1,
    stopAtFailedShare: 1,
  });
  await open(`/bulk-retries/${String(bulkRetryId)}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  expect((await send(`/api/admin/bulk-retries/${String(bulkRetryId)}`)).state).toBe('running');

  await page.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Cancel the bulk retry' }).click();
  await page.getByText('It starts no more executions', { exact: true }).waitFor();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
  await page.getByText(/^0 of 40 succeeded.* to start$/).waitFor();
  const { state, counts } = await send(`/api/admin/bulk-retries/${String(bulkRetryId)}`);
  expect([state, counts]).toEqual(['cancelled', expect.objectContaining({ total: 40 })]);
});

test('a refused request says what to change, and is sent again with another body', async () => {
  await post('intake', { nr: 7 });
  await open('/requests');
  await page.getByLabel('Workflow').fill('intake');
  await page.getByLabel('Workflow').press('Enter');
  await expectRows('Requests', 1);
  await expectText(rows('Requests'), expect.stringContaining('send a body that matches'));
  await rows('Requests').getByRole('link').click();
  await page.getByText("What to change: send a body that matches the trigger's schema").waitFor();
  await page.locator('main code', { hasText: /^schema$/ }).waitFor();

  const body = page.getByRole('textbox', { name: 'Body to send' });
  await pasteOver(body, '{ "id": ');
  await page.getByText('The body must be JSON, as it was.').locator('visible=true').waitFor();
  await pasteOver(body, '{ "id": "B-7" }');
  await page.getByRole('button', { name: 'Send edited' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sent again').waitFor();
  await page.getByRole('link', { name: /^[\w-]{20,}$/ }).click();
  await page.waitForURL(/\/console\/executions\//);
});

test('requests are followed while a sender is set up', async () => {
  await open('/requests?workflowId=intake&follow=yes');
  await expectRows('Requests', 1);
  await post('intake', { nr: 8 });
  await expectRows('Requests', 2);
});

test('an approval is answered on its page, whose address is asked for alone, and when somebody decides', async () => {
  await post('decision', { what: 'A toaster', cost: 20 });
  const { executionId } = await post('decision', { what: 'A kettle', cost: 39.9 });
  await open(`/executions/${String(executionId)}`);
  await page.getByText('It waits for a decision at ask').waitFor();
  await page.getByRole('link', { name: 'Go to its approvals' }).click();
  await expectRows('Approvals', 2);
  expect(await page.content()).not.toContain('/api/webhook-callback/');
  const asked = page.waitForResponse(/\/api\/admin\/approvals\/addresses/);
  await page.getByRole('button', { name: 'Decide: A kettle' }).click();
  const { approvals } = (await (await asked).json()) as { readonly approvals: readonly JsonObject[] };
  expect(approvals).toEqual([expect.objectContaining({ title: 'A kettle for 39.9' })]);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: /^Open its page/ }).click();
  const decision = await opened;
  await decision.getByLabel('Comment').fill('Buy it');
  await decision.getByRole('button', { name: 'Approve' }).click();
  await decision.getByRole('heading', { name: 'Approved' }).waitFor();
  await expectRows('Approvals', 1);
  await expectText(rows('Approvals'), expect.stringContaining('A toaster'));
});

const expectRows = (table: string, count: number): Promise<void> => expectCount(rows(table), count);
