import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { findTreeFaults } from '../support/accessibility-tree.ts';
import { aDecision } from '../support/an-approval.ts';
import { readViewPaths } from '../support/console-views.ts';
import { expectAttribute, expectTitle } from '../support/expect-text.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { watchPage } from '../support/watched-page.ts';

const ship: JsonObject = {
  id: 'ship',
  name: 'Ship orders',
  enabled: true,
  settings: { execution: 'durable', recordData: 'always' },
  nodes: [
    { id: 'order', type: 'webhookTrigger', parameters: { responseMode: 'onReceived' } },
    { id: 'large', type: 'if', parameters: { condition: '{{ body.total > 100 }}' } },
    { id: 'fail', type: 'stopAndError', parameters: { message: 'No stock' } },
  ],
  connections: [
    { sourceNodeId: 'order', targetNodeId: 'large' },
    { sourceNodeId: 'large', sourceOutput: 'true', targetNodeId: 'fail' },
  ],
};

let service: RunningService;
let browser: Browser;
let page: Page;
let faults: string[];

const send = (path: string, method?: string, body?: JsonObject): Promise<JsonObject> =>
  sendJson(`${service.baseUrl}${path}`, method, body);

const order = (total: number): Promise<JsonObject> => send('/api/webhook/ship/webhook', 'POST', { total });

const countOf = async (query: string): Promise<unknown> =>
  (await send(`/api/admin/executions?workflowId=ship&${query}`)).count;

const open = async (path: string): Promise<void> => {
  await page.goto(`${service.baseUrl}/console${path}`);
  await page.locator('main h1').waitFor();
};

/** Waits until a screen reader is told a text: at once, or when it has finished speaking. */
const announced = (text: string | RegExp, when: 'alert' | 'status'): Promise<void> =>
  page
    .locator(when === 'alert' ? '[role="alert"]' : '[role="status"], [aria-live="polite"]')
    .filter({ hasText: text })
    .first()
    .waitFor({ state: 'attached' });

const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((each) => each === each.ownerDocument.activeElement).catch(() => false);

/** Waits until the page has moved the focus. */
const focused = (element: Locator): Promise<void> => poll(() => hasFocus(element));

/** More stops than any view has. */
const MAX_STOPS = 200;

/** Presses Tab until an element that is shown has the focus. */
const tabTo = async (element: Locator): Promise<void> => {
  await element.waitFor();
  for (let stops = 0; !(await hasFocus(element)); stops++) {
    if (stops === MAX_STOPS) throw new Error(`Tab does not reach ${element}`);
    await page.keyboard.press('Tab');
  }
};

/** Chooses an option of the open list, which has the focus. */
const chooseBy = async (key: string, option: Locator): Promise<void> => {
  await option.waitFor();
  const id = await option.getAttribute('id');
  const list = page.locator(':focus');
  for (let presses = 0; (await list.getAttribute('aria-activedescendant')) !== id; presses++) {
    if (presses === MAX_STOPS) throw new Error(`${key} does not reach ${option}`);
    await page.keyboard.press(key);
  }
  await page.keyboard.press('Enter');
};

beforeAll(async () => {
  [service, browser] = await Promise.all([startLocalService({ env: { LOG_LEVEL: 'warn' } }), aBrowser()]);
  await send('/api/admin/workflows/ship', 'PUT', ship);
  await send('/api/admin/workflows/decision', 'PUT', aDecision({ id: 'decision' }));
  await order(20);
  await order(120);
  await poll(async () => (await countOf('status=failed')) === 1 && (await countOf('status=succeeded')) === 1);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
  faults = watchPage(page);
});
afterEach(async () => {
  await page.close();
  expect(faults).toEqual([]);
});

test('a failed run is found, understood, and retried with another input, by keys alone', async () => {
  await open('/executions');
  await page.keyboard.press('Tab');
  await focused(page.getByRole('button', { name: 'Skip to the content' }));
  await page.keyboard.press('Enter');
  await focused(page.getByRole('heading', { level: 1 }));
  await tabTo(page.getByRole('button', { name: /^Status/ }));
  await page.keyboard.press('Enter');
  const failed = page.getByRole('option', { name: 'Failed' });
  await chooseBy('ArrowDown', failed);
  await page.keyboard.press('Escape');
  await focused(page.getByRole('button', { name: 'Status Failed' }));
  await announced('Executions on this page: 1', 'status');

  await tabTo(page.getByRole('checkbox', { name: 'Select all on this page' }));
  const link = page.getByRole('grid').getByRole('link').first();
  await page.keyboard.press('ArrowDown');
  for (const _ of ['Status', 'Execution']) await page.keyboard.press('ArrowRight');
  await focused(link);
  const first = page.url();
  await page.keyboard.press('Enter');
  await focused(page.getByRole('heading', { name: 'Execution of ship' }));
  expect(page.url()).not.toBe(first);

  await announced(/Status of the execution: Failed\. It failed at fail: .*No stock/, 'status');
  await page.getByRole('heading', { name: /^It failed at fail: / }).waitFor();
  await page.getByRole('button', { name: /^large, if, .*Succeeded, then fail on true$/ }).waitFor();
  const node = page.getByRole('button', { name: /^fail, stopAndError, .*Failed/ });
  await tabTo(node);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Node fail' });
  await focused(panel);
  await panel.getByText('No stock').waitFor();
  await expectAttribute(node, 'aria-pressed', 'true');
  await tabTo(panel.getByRole('button', { name: 'Close the node' }));
  await page.keyboard.press('Enter');
  await panel.waitFor({ state: 'detached' });
  await focused(node);
  await page.keyboard.press('Enter');
  await focused(panel);

  const retry = panel.getByRole('button', { name: 'Retry from here' });
  await tabTo(retry);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Retry this execution' });
  await dialog.getByText('No node that runs acts on the outside').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focused(retry);
  await page.keyboard.press('Enter');
  await tabTo(dialog.getByRole('button', { name: /^Start from/ }));
  await page.keyboard.press('Enter');
  const start = dialog.getByRole('option', { name: /^The start/ });
  await chooseBy('ArrowUp', start);
  await tabTo(dialog.getByRole('checkbox', { name: 'Edit the input' }));
  await page.keyboard.press('Space');
  await tabTo(dialog.getByRole('textbox', { name: 'Input of the trigger' }));
  await page.keyboard.press('ControlOrMeta+a');
  const { nodes } = (await send(
    `/api/admin/executions/${new URL(page.url()).pathname.split('/').at(-1)}`,
  )) as {
    readonly nodes: readonly [{ readonly input: JsonObject }];
  };
  await page.keyboard.insertText(JSON.stringify({ ...nodes[0].input, body: { total: 50 } }, null, 2));
  await dialog.getByText(/^Replaces /).waitFor();
  await tabTo(dialog.getByRole('button', { name: 'Retry', exact: true }));
  await page.keyboard.press('Enter');

  await dialog.waitFor({ state: 'detached' });
  await focused(page.getByRole('heading', { name: 'Execution of ship' }));
  await announced('Status of this retry: Succeeded', 'status');
  await page.getByRole('button', { name: /^fail, stopAndError, Skipped/ }).waitFor();
});

/** The text with which a screen reader describes an element after its name. */
const describedAs = (element: Locator): Promise<string> =>
  element.evaluate((each) => {
    const ids: readonly string[] = (each.getAttribute('aria-describedby') ?? '').split(' ');
    return ids.map((id) => each.ownerDocument.getElementById(id)?.textContent ?? '').join(' ');
  });

test.each([
  ['/workflows/ship', 'Enter shows the node.'],
  ['/workflows/ship/edit', 'Enter selects it, the menu key opens its actions, arrow keys move it.'],
])('the graph of %s is read with the page, and its nodes say where they lead', async (path, use) => {
  await open(path);
  const graph = page.getByRole('group', { name: 'Graph of the nodes' });
  const nodes = graph.locator('[aria-roledescription="node"]');
  await nodes.last().waitFor();
  // The lines would be read as images, before all nodes.
  expect(await graph.ariaSnapshot()).not.toMatch(/Edge|application/);
  await page.getByRole('button', { name: /^large, if, (?:.*, )?then fail on true$/ }).waitFor();
  expect(await describedAs(nodes.first())).toBe(use);
});

test('the search begins with its field, and its results are chosen by arrow keys', async () => {
  await open('/');
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: /^Search/ });
  await focused(field);
  await expectAttribute(field, 'aria-activedescendant', null); // it would be read instead of the field
  await page.keyboard.type('ship');
  await announced(/^\d+ found\. Arrow keys to choose, Enter to open\.$/, 'status');
  const workflow = page.getByRole('option', { name: 'ship Ship orders', exact: true });
  await expectAttribute(field, 'aria-activedescendant', await workflow.getAttribute('id'));
  await page.keyboard.press('Enter');
  await focused(page.getByRole('heading', { name: 'Ship orders' }));
  await expectTitle(page, expect.stringMatching(/^Ship|^ship/));
});

test('a node is added, renamed and taken back in the editor by keys, and each step is said', async () => {
  await open('/workflows/ship/edit');
  const node = page.getByRole('button', { name: /^large, if, / });
  await tabTo(node);
  await page.keyboard.press('Enter');
  await expectAttribute(node, 'aria-pressed', 'true');
  const add = page.getByRole('button', { name: 'Add after false' });
  await tabTo(add);
  await page.keyboard.press('Enter');
  await focused(page.getByRole('searchbox', { name: 'Find a node type' }));
  await page.keyboard.type('stopAndError');
  await announced(/ found\. Enter adds stopAndError$/, 'status');
  await page.keyboard.press('Enter');
  await focused(page.getByRole('region', { name: 'Node stopAndError' }));
  await announced('Added: stopAndError. Connected: large to stopAndError on false.', 'status');

  const id = page.getByRole('textbox', { name: 'Id', exact: true });
  await tabTo(id);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('halt');
  await page.keyboard.press('Enter');
  await announced('Renamed: stopAndError to halt.', 'status');
  expect(await hasFocus(id)).toBe(true);

  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.press('Enter');
  await announced(/^Undone\. /, 'status');
});

test('what is deleted in the editor by a key comes back by a key', async () => {
  await open('/workflows/ship/edit');
  const node = page.locator('.react-flow__node[data-id="fail"]');
  await tabTo(node);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Delete');
  await node.waitFor({ state: 'detached' });
  await page.keyboard.press('ControlOrMeta+z');
  await node.waitFor();
});

describe('a screen reader hears', () => {
  test('what came of a change, and why one was refused, and has the focus where it was', async () => {
    await send('/api/admin/variables/taken', 'PUT', { value: 1 });
    await open('/variables');
    const create = page.getByRole('button', { name: 'Create a variable' });
    await create.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('taken');
    await dialog.getByLabel('Value').fill('EUR');
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    await page
      .locator('[aria-live="assertive"]', { hasText: 'already' })
      .first()
      .waitFor({ state: 'attached' });
    await dialog.getByLabel('Name').fill('currency');
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    await announced('currency is set', 'status');
    await focused(create);
    await page.getByRole('button', { name: 'Remove currency' }).press('Enter');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await announced('currency is removed', 'status');
    await focused(page.getByRole('button', { name: 'Remove taken' })); // of the next row
    faults = faults.filter((text) => !text.includes('412 (Precondition Failed)'));
  });

  test('that an execution is cancelled while its page is open', async () => {
    const { executionId } = await send('/api/webhook/decision/webhook', 'POST', {
      what: 'A kettle',
      cost: 20,
    });
    await open(`/executions/${String(executionId)}`);
    await announced('Status of the execution: Waiting', 'status');
    await send(`/api/admin/executions/${String(executionId)}/cancel`, 'POST', {});
    await announced('Status of the execution: Cancelled', 'status');
  });

  test('that a list has new rows', async () => {
    await open('/executions?workflowId=ship');
    await page.getByRole('grid').getByRole('link').first().waitFor();
    await order(1);
    await announced('There are 1 new in the list', 'status');
    await page.getByRole('button', { name: 'Show 1 new' }).press('Enter');
    await focused(page.getByRole('heading', { name: 'Executions' })); // the button was removed with its row
  });
});

test("what can't be read keeps its heading while it is asked for again", async () => {
  const json = { title: 'Forbidden', status: 403, detail: 'You may not read this.' };
  let asked = 0;
  const again = new Promise<void>((resolve) => {
    void page.route('**/api/admin/bulk-retries/any', (route) => {
      asked += 1;
      if (asked === 1) return route.fulfill({ status: 403, contentType: 'application/problem+json', json });
      return resolve(); // without an answer
    });
  });
  await open('/bulk-retries/any');
  await again;
  expect(findTreeFaults(await page.locator('body').ariaSnapshot())).toEqual([]);
  expect(await page.getByRole('alert').textContent()).toContain('You may not read this.');
  faults = faults.filter((text) => !text.includes('403 (Forbidden)'));
});

const views = readViewPaths()
  .map((path) => path.replaceAll(/:\w+/g, 'any').replace(/^\/$/, ''))
  .filter((path) => !['/new-workflow', '/bulk-retries/new'].includes(path)); // these begin with a form

/** What is chosen in views that show nothing without it. */
const CHOSEN: Readonly<Record<string, string>> = {
  '/requests': '?workflowId=any',
  '/state': '?workflowId=any',
  '/state/entry': '?workflowId=any&key=any',
};

test.each(views)("%s says that its data can't be read, and still has a heading", async (path) => {
  const problem = { title: 'Forbidden', status: 403, detail: 'You may not read this.' };
  await page.route('**/api/admin/**', (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', json: problem }),
  );
  await open(`${path}${CHOSEN[path] ?? ''}`);
  await announced('You may not read this.', 'alert');
  expect(findTreeFaults(await page.locator('body').ariaSnapshot())).toEqual([]);
  faults = faults.filter((text) => !text.includes('403 (Forbidden)'));
});
