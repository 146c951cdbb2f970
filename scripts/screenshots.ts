// Writes docs/images/*.png: the pages for people and the console, rendered in Chromium. npm run docs:screenshots
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import type { FoundCallback } from '../lib/approvals/find-callback.ts';
import { askPage } from '../lib/approvals/pages.chunk.ts';
import { formPage } from '../lib/webhooks/features/form-stages.ts';
import type { Webhook } from '../lib/webhooks/webhook.ts';
import { takeConsolePictures } from './pages/console-pictures.ts';
import { openBrowser } from './pages/open-browser.ts';

const root = resolve(import.meta.dirname, '..');
const images = join(root, 'docs/images');

interface StoredNode {
  readonly id: string;
  readonly parameters: Record<string, unknown>;
}
const { nodes }: { readonly nodes: readonly StoredNode[] } = JSON.parse(
  readFileSync(join(root, 'workflows/approval.json'), 'utf8'),
);
const parametersOf = (id: string) => nodes.find((node) => node.id === id)?.parameters ?? {};

/** Start of the sample, a fixed time. */
const startedAt = Date.parse('2026-03-02T09:00:00Z');
const question = {
  title: 'A new kettle',
  text: 'Cost: **39.90 EUR**\n\nThe old one *leaks*.',
  askedBy: 'Team Kitchen',
  fields: parametersOf('ask').fields,
};
const found = {
  execution: { workflowId: 'approval', startedAt },
  callback: { subject: { question }, expiresAt: startedAt + 3_600_000 },
} as unknown as FoundCallback;
const webhook = {
  workflow: { definition: { name: 'Approval' } },
  config: { features: { schema: parametersOf('request').schema } },
} as unknown as Webhook;
const refused = {
  typed: { comment: '', limit: 'forty' },
  errors: [
    { name: 'comment', message: 'Fill in this field.' },
    { name: 'limit', message: 'Enter a whole number, such as 12.' },
  ],
};

const pages = {
  approval: askPage(found),
  'approval-refused': askPage(found, refused),
  form: formPage(webhook, { what: 'A new kettle', cost: '39.90', team: 'Kitchen' }, []),
};

const take = async (page: Page, name: string, html: string): Promise<void> => {
  await page.setContent(html);
  await page.locator('body').screenshot({ path: join(images, `${name}.png`) });
};

mkdirSync(images, { recursive: true });
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 560, height: 400 }, colorScheme: 'light' });
  for (const [name, { body }] of Object.entries(pages)) await take(page, name, body ?? '');
  await takeConsolePictures(browser, images);
} finally {
  await browser.close();
}
