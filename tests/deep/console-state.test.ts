import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { expectAttribute, expectCount, expectRead } from '../support/expect-text.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { watchPage } from '../support/watched-page.ts';

let service: RunningService;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [service, browser] = await Promise.all([startLocalService({ env: { LOG_LEVEL: 'warn' } }), aBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
});

beforeEach(async () => {
  page = await browser.newPage({ reducedMotion: 'reduce' });
  faults = watchPage(page);
});
afterEach(async () => {
  await page.close();
  expect(faults).toEqual([]);
});

const send = (path: string, method?: string, body?: JsonObject): Promise<JsonObject> =>
  sendJson(`${service.baseUrl}${path}`, method, body);

const entryOf = (scope: string, key: string): string =>
  `/api/admin/state/entry?${scope}&key=${encodeURIComponent(key)}`;

const open = async (path: string): Promise<void> => {
  await page.goto(`${service.baseUrl}/console${path}`);
  await page.locator('main h1').waitFor();
};

const writeValue = async (text: string): Promise<void> => {
  await page.getByLabel('Value as JSON').fill(text);
};

const button = (name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

test('the entries of a workflow are found from its page, by prefix and page by page', async () => {
  const keys = Array.from({ length: 52 }, (_, at) => `user/${String(at).padStart(2, '0')}`);
  for (const key of [...keys, 'zone']) await send(entryOf('workflowId=hello', key), 'PUT', { value: key });
  await open('/workflows/hello');
  await page.locator('main').getByRole('link', { name: 'State', exact: true }).click();
  await page.getByRole('link', { name: 'user/00', exact: true }).waitFor();
  await button('Next').click();
  await page.getByRole('link', { name: 'zone', exact: true }).waitFor();
  await page.getByLabel('Keys that begin with').fill('user/4');
  await page.getByRole('link', { name: 'user/49', exact: true }).waitFor();
  await expectCount(page.getByRole('row'), 11);
  await expectRead(async () => new URL(page.url()).search, '?workflowId=hello&prefix=user%2F4');
  await page.getByLabel('Keys that begin with').fill('none');
  await page.getByText('No key begins with this.').waitFor();
});

test('a store says what to do while it is empty; an entry is created, once, and shown', async () => {
  await open('/state');
  await page.getByText('Choose the workflow whose entries you look for').waitFor();
  await page.getByLabel('Or a store that workflows share').fill('customers');
  await page.getByText('There are no entries.').waitFor();
  const create = async (key: string, value: string) => {
    await button('Create an entry').click();
    await page.getByLabel('Key', { exact: true }).fill(key);
    await writeValue(value);
    await inDialog('Create').click();
  };
  await create('ä/1 #', 'Ada');
  await page.getByText('This is not JSON. A text needs quotation marks.').waitFor();
  await writeValue('"Ada"');
  await inDialog('Create').click();
  await page.getByText('is created').waitFor();
  expect(await send(entryOf('store=customers', 'ä/1 #'))).toMatchObject({ value: 'Ada', expiresAt: null });
  await create('ä/1 #', '"Grace"');
  await page.getByText('An entry has this key already').waitFor();
  await inDialog('Cancel').click();
  await page.getByRole('grid').getByRole('link', { name: 'ä/1 #', exact: true }).click();
  await page.getByLabel('Value of ä/1 #').getByText('"Ada"').waitFor();
  expect(await send(entryOf('store=customers', 'ä/1 #'))).toMatchObject({ value: 'Ada', version: 1 });
  faults = faults.filter((text) => !text.includes('412 (Precondition Failed)'));
});

test('a change replaces the version that was seen, keeps the expiry, and overwrites no other one', async () => {
  const entry = entryOf('workflowId=hello', 'count');
  const { expiresAt } = await send(entry, 'PUT', { value: 1, ttlSeconds: 86_400 });
  await open('/state/entry?workflowId=hello&key=count');
  await button('Change').click();
  await writeValue('2');
  await inDialog('Change').click();
  await page.getByText('The entry is changed: version 2.').waitFor();
  const changed = await send(entry);
  expect(changed).toMatchObject({ value: 2, version: 2 });
  expect(Math.abs(Date.parse(String(changed.expiresAt)) - Date.parse(String(expiresAt)))).toBeLessThan(2_000);

  await button('Change').click();
  await writeValue('3');
  await send(entry, 'PUT', { value: 'of another' });
  await inDialog('Change').click();
  await page.getByText('Version 3 was written meanwhile').waitFor();
  expect(await send(entry)).toMatchObject({ value: 'of another', version: 3 });
  await inDialog('Keep mine, to replace version 3').click();
  await inDialog('Change').click();
  await page.getByText('The entry is changed: version 4.').waitFor();
  expect(await send(entry)).toMatchObject({ value: 3, version: 4, expiresAt: null });
  faults = faults.filter((text) => !text.includes('412 (Precondition Failed)'));
});

test('a claim is shown with its execution, and deleted only in the version that was seen', async () => {
  await send('/api/webhook/count-orders/count', 'POST', { number: 'A-1' });
  const entry = entryOf('workflowId=count-orders', 'order/A-1');
  const { writtenBy } = (await send(entry)) as { readonly writtenBy: { readonly executionId: string } };
  await open('/state/entry?workflowId=count-orders&key=order%2FA-1');
  await page.getByText('gave this key first').getByRole('link', { name: writtenBy.executionId }).waitFor();
  await expectCount(button('Change'), 0);
  await button('Delete').click();
  await page.getByText('The key is free again').waitFor();
  await send(entry, 'DELETE');
  await send('/api/webhook/count-orders/count', 'POST', { number: 'A-1' });
  await inDialog('Delete').click();
  await page.getByRole('dialog').getByText('Nothing was deleted').waitFor();
  expect(await send(entry)).toMatchObject({ version: 3 });
  await inDialog('Cancel').click();
  await button('Delete').click();
  await inDialog('Delete').click();
  await page.getByText('The entry is deleted.').waitFor();
  expect(await send(entry)).toMatchObject({ title: 'Entry not found' });
  faults = faults.filter((text) => !text.includes('412 (Precondition Failed)'));
});

test('a large value is listed as its size, shown from its beginning, and changed by the command line', async () => {
  await send(entryOf('store=large', 'prices'), 'PUT', { value: Array(100_000).fill('a price') });
  await open('/state?store=large');
  await page
    .getByRole('row', { name: /prices/ })
    .getByText('1,000,001 bytes')
    .waitFor();
  await page.getByRole('link', { name: 'prices', exact: true }).click();
  await page.getByText('"a price"').first().waitFor();
  await expectAttribute(button('Change'), 'aria-disabled', 'true');
  await button('Change').focus();
  await page.getByRole('tooltip').getByText('This value is too large to change here').waitFor();
  await button('Delete').click();
  await inDialog('Delete').click();
  await page.getByText('The entry is deleted.').waitFor();
});
