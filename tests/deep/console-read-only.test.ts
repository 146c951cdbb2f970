import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type SampleIds, storeConsoleSamples } from '../../scripts/pages/console-samples.ts';
import { aBrowser } from '../support/a-browser.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { projectEnvironment, projectRoot } from '../support/run-command.ts';

let service: RunningService;
let browser: Browser;
let ids: SampleIds;
let door: ChildProcess;
let context: BrowserContext;
let origin: string;
let page: Page;

// The local service checks no signature, so any keys sign.
const keys = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'any',
  AWS_REGION: 'eu-central-1',
};

beforeAll(async () => {
  [service, browser] = await Promise.all([startLocalService(), aBrowser()]);
  ids = await storeConsoleSamples(service.baseUrl);
  const args = ['console', '--read-only', '--no-browser', '--stage', 'production', '--url', service.baseUrl];
  door = spawn('node', ['packages/cli/main.ts', ...args], {
    cwd: projectRoot,
    env: projectEnvironment(keys),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = (await once(
    createInterface({ input: door.stdout as NodeJS.ReadableStream }),
    'line',
  )) as [string];
  origin = new URL(address).origin;
  context = await browser.newContext({ reducedMotion: 'reduce' });
  await (await context.newPage()).goto(address); // the address works once: it becomes a cookie
});
afterAll(async () => {
  if (door?.exitCode === null) {
    door.kill('SIGINT');
    await once(door, 'exit');
  }
  await Promise.all([browser?.close(), service?.stop()]);
});

beforeEach(async () => {
  page = await context.newPage();
});
afterEach(() => page.close());

const open = async (path: string): Promise<void> => {
  await page.goto(`${origin}/console${path}`);
  await page.locator('main h1').first().waitFor();
  await page
    .getByText(/^(?:Loading|…)$/)
    .first()
    .waitFor({ state: 'detached' });
};

/** What buttons do that change nothing: they choose, show, copy and move. */
const READS =
  /^(?:Any|All|Enabled and|Everything from|Failed, Timed|The one that|Graph|Triggers|Versions|Executions|Definition|Zoom|Fit|Copy|Show|Close|Compare|Check again|Clear|Search|Older|Newer|Earlier|Later|The (?:run|next run) of this node)/;

test.each([
  ['/', ''],
  ['/workflows', 'New workflow'],
  ['/workflows/collect-payment', 'Run by hand'],
  ['/workflows/collect-payment?panel=run', 'Run by hand'],
  ['/workflows/hello?tab=versions', 'Disable'],
  ['/workflows/collect-payment?tab=triggers', 'Disable'],
  ['/executions', 'Retry all that match'],
  ['/executions/:executionId?node=charge', 'Retry'],
  ['/executions/:executionId?dialog=retry', 'Retry'],
  ['/executions/:executionId?dialog=cancel', 'Retry'],
  ['/bulk-retries', 'Retry many executions'],
  ['/bulk-retries/new', 'Plan'],
  ['/bulk-retries/:bulkRetryId', ''],
  ['/requests/:requestId', 'Send again'],
  ['/approvals', 'Decide: The party'],
  ['/credentials', 'Create a credential'],
  ['/credentials/people-api', 'Rotate'],
  ['/variables', 'Remove currency'],
  ['/state?workflowId=count-orders', 'Create an entry'],
  ['/state/entry?workflowId=count-orders&key=orders', 'Delete'],
  ['/plugins', 'Test credentials'],
  ['/plugins/slack', 'Enable'],
])('%s offers nothing that would change something', async (pattern, change) => {
  await open(pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? ''));
  await page.getByText('Read-only', { exact: true }).locator('visible=true').first().waitFor();
  if (change !== '') await page.getByRole('button', { name: change }).first().waitFor();
  const buttons = await page
    .locator('main button:visible, [role="dialog"] button:visible')
    .evaluateAll((all) =>
      all.map((button) => ({
        name: button.getAttribute('aria-label') ?? button.textContent ?? '',
        text: button.textContent ?? '',
        isOn: !button.hasAttribute('disabled') && button.getAttribute('aria-disabled') !== 'true',
      })),
    );
  const others = buttons.filter(({ name }) => !READS.test(name));
  expect(others.filter(({ isOn, text }) => isOn || !text.includes('This console is read-only.'))).toEqual([]);
  expect(others.length > 0).toBe(change !== '');
});

// holds: read-only-console
test('what a page would change all the same is refused with the reason', async () => {
  await open('/variables');
  const refused = await page.evaluate(async () => {
    const response = await fetch('/api/admin/variables/currency', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"value":"USD"}',
    });
    return { status: response.status, problem: (await response.json()) as unknown };
  });
  expect(refused).toMatchObject({
    status: 403,
    problem: {
      title: 'The console is read-only',
      detail: 'It was started with --read-only, and passes on no changes.',
    },
  });
  const kept = await fetch(`${service.baseUrl}/api/admin/variables/currency`);
  expect(await kept.json()).toMatchObject({ value: 'EUR' });
});
