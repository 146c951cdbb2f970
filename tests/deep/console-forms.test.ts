import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { expectAttribute, expectCount, expectRead, expectText, expectValue } from '../support/expect-text.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { pasteOver } from '../support/paste-over.ts';
import { poll } from '../support/poll.ts';
import { projectRoot } from '../support/run-command.ts';
import { watchPage } from '../support/watched-page.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Slack, which refuses one of two tokens. */
let slack: LocalServer;
let service: RunningService;
let browser: Browser;
let page: Page;
/** Messages in the browser's console, which violations of the page's policy are too. */
let faults: string[];

beforeAll(async () => {
  slack = await aLocalServer({
    '/conversations.list': ({ url, headers }, response) => {
      const isFirst = !url.includes('cursor=');
      const channels = isFirst ? [{ id: 'C1', name: 'orders' }] : [{ id: 'C2', name: 'tea' }];
      const body = headers.authorization?.includes('refused')
        ? { ok: false, error: 'invalid_auth' }
        : { ok: true, channels, response_metadata: { next_cursor: isFirst ? 'more' : '' } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  });
  const env = { LOG_LEVEL: 'warn', OUTBOUND_ALLOW: new URL(slack.origin).host };
  [service, browser] = await Promise.all([startLocalService({ env }), aBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop(), slack?.close()]);
});

beforeEach(async () => {
  page = await browser.newPage({ reducedMotion: 'reduce' });
  faults = watchPage(page);
});
afterEach(async () => {
  await page.close();
  expect(faults).toEqual([]);
});

/** Opens the form of a node type; ends when it has its fields. */
const openForm = async (nodeType: string, from: 'empty' | 'with the example' = 'empty'): Promise<void> => {
  await page.goto(`${service.baseUrl}/console/node-types/${nodeType}`);
  await page.getByRole('button', { name: `Begin ${from}` }).click();
  await page.getByRole('heading', { name: 'The node', exact: true }).waitFor();
};

/** The parameters that the form has made. */
const parameters = async (): Promise<unknown> => {
  const text = await page.getByLabel('The node with these parameters').locator('.cm-line').allTextContents();
  return JSON.parse(text.join('\n')).parameters;
};

/** Ends when the form has made these parameters, with their keys in this order. */
const expectParameters = async (expected: unknown): Promise<void> => {
  await poll(async () => JSON.stringify(await parameters()) === JSON.stringify(expected));
};

const field = (name: string): Locator => page.getByRole('group', { name, exact: true });

const choose = async (within: Locator, option: string): Promise<void> => {
  await within.getByRole('button').last().click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

const openMore = (): Promise<void> => page.getByRole('button', { name: /^More parameters/ }).click();

/** What an expression gives, or when a schedule fires. */
const resultOf = (name: string): Locator => field(name).getByRole('status');

describe('a form writes', () => {
  test('texts, numbers, choices and maps, without the defaults', async () => {
    await openForm('httpRequest');
    await field('url (required)').getByRole('textbox').fill('https://api.example/orders');
    await expectCount(field('maxRedirects'), 0); // a long form begins with what is often set
    await openMore();
    await field('maxRedirects').getByRole('textbox').fill('2');
    await choose(field('bodyType'), 'text');
    await field('headers').getByLabel('New key of headers').fill('x-name');
    await field('headers').getByRole('button', { name: 'Add a key to headers' }).click();
    await field('x-name').getByRole('textbox').fill('Ann');
    await expectParameters({
      url: 'https://api.example/orders',
      maxRedirects: 2,
      bodyType: 'text',
      headers: { 'x-name': 'Ann' },
    });
    await field('maxRedirects').getByRole('textbox').fill('5');
    await choose(field('bodyType'), 'json (default)');
    await field('headers').getByRole('button', { name: 'Remove x-name from headers' }).click();
    await expectParameters({ url: 'https://api.example/orders' });
  });

  test('lists of objects', async () => {
    await openForm('sort');
    const by = field('by');
    await by.getByRole('button', { name: 'Remove by 1' }).click();
    await by.getByRole('button', { name: 'Add an item to by' }).click();
    await field('field').getByRole('textbox').fill('price');
    await choose(field('direction'), 'descending');
    await choose(field('ignoreCase'), 'true');
    await expectParameters({ by: [{ field: 'price', direction: 'descending', ignoreCase: true }] });
  });

  test('a schedule, with its next times', async () => {
    await openForm('scheduleTrigger');
    await field('cron').getByRole('textbox').fill('30 9 * * *');
    await field('timeZone').getByRole('textbox').fill('Europe/Berlin');
    await expectCount(resultOf('cron').getByText('09:30 (Europe/Berlin)'), 5);
    await field('cron').getByRole('textbox').fill('99 9 * * *');
    await resultOf('cron')
      .getByText(/minute/)
      .waitFor();
  });

  test('code and a JSON Schema', async () => {
    await openForm('code');
    await pasteOver(field('code (required)').getByRole('textbox'), 'return { total: 1 };');
    await expectParameters({ code: 'return { total: 1 };' });
    await openForm('validate');
    await pasteOver(field('schema (required)').getByRole('textbox'), '{ "type": "object" }');
    await expectParameters({ schema: { type: 'object' } });
  });

  test('a part that was not set, which one line opens and removes, by keyboard too', async () => {
    await openForm('webhookTrigger');
    await openMore();
    const add = page.getByRole('button', { name: 'Add rateLimit …', exact: true });
    await expectAttribute(add, 'aria-expanded', 'false');
    await add.press('Enter');
    const close = page.getByRole('button', { name: 'Close rateLimit', exact: true });
    await close.waitFor();
    await expectAttribute(close, 'aria-expanded', 'true');
    await expectRead(() => close.evaluate((button) => button === button.ownerDocument.activeElement), true);
    await field('requests (required)').getByRole('textbox').fill('5');
    await expectParameters({ rateLimit: { requests: 5 } });
    await page.getByRole('button', { name: 'Remove rateLimit', exact: true }).click();
    await add.waitFor();
    await expectParameters({});
  });

  test('a known sender, or an expression', async () => {
    await openForm('webhookTrigger');
    await choose(field('deduplication'), 'stripe');
    await expectParameters({ deduplication: 'stripe' });
    await field('deduplication')
      .getByRole('button', { name: /Type of deduplication/ })
      .click();
    await page.getByRole('option', { name: 'Expression', exact: true }).click();
    await pasteOver(field('deduplication').getByRole('textbox'), '$lowercas(body.id)');
    await resultOf('deduplication').getByText('did you mean "$lowercase"?').waitFor();
    await expectParameters({ deduplication: '$lowercas(body.id)' });
  });

  test('one of several types', async () => {
    await openForm('dateTime');
    const value = field('value');
    await value.getByRole('button', { name: /Type of value/ }).click();
    await page.getByRole('option', { name: 'Number', exact: true }).click();
    await value.getByRole('textbox').fill('1500');
    await expectParameters({ value: 1_500 });
  });
});

/** CodeMirror lets Enter take a completion only after it has been shown for 75 ms (its `interactionDelay`). */
const ENTER_DELAY_MS = 100;

describe('an expression', () => {
  test('completes, shows its value at once, and what is wrong with what was meant', async () => {
    await openForm('if', 'with the example');
    const editor = field('condition (required)').getByRole('textbox');
    await pasteOver(editor, '{{ ');
    await editor.press('End');
    await editor.pressSequentially('$uppe');
    await page.getByRole('option', { name: /^\$uppercase/ }).waitFor();
    await page.waitForTimeout(ENTER_DELAY_MS);
    await page.keyboard.press('Enter');
    await expectText(editor, '{{ $uppercase()');
    await pasteOver(editor, '{{ $uppercas("a") }}');
    await resultOf('condition (required)').getByText('did you mean "$uppercase"?').waitFor();
    await pasteOver(editor, '{{ 2 > 1 }}');
    await resultOf('condition (required)').getByText('true', { exact: true }).waitFor();
    await expectParameters({ condition: '{{ 2 > 1 }}' });
  });

  test('begins with two braces in a text, and can become a value again', async () => {
    await openForm('stopAndError');
    await field('message (required)').getByRole('textbox').pressSequentially('No {{');
    await field('message (required)').locator('.cm-content').waitFor();
    await page.getByRole('button', { name: 'Use a value for message' }).click();
    await field('message (required)').locator('.cm-content').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Use an expression for message' }).click();
    await expectParameters({ message: 'No {{' });
  });

  test('without an end holds nothing up', async () => {
    await openForm('if');
    const editor = field('condition (required)').getByRole('textbox');
    await pasteOver(editor, '{{ ($f := function($n) { $f($n + 1) }; $f(0)) }}');
    await resultOf('condition (required)').getByText(/steps/).waitFor();
    await pasteOver(editor, '{{ 1 = 1 }}');
    await resultOf('condition (required)').getByText('true', { exact: true }).waitFor();
  });
});

describe('a parameter whose options the service finds', () => {
  const open = async (credentialId: string | null): Promise<Locator> => {
    const parameters = { baseUrl: slack.origin, text: 'Paid' };
    const credential = credentialId === null ? {} : { credentialId };
    const definition = {
      ...{ id: 'chat', name: 'Chat', enabled: true },
      nodes: [
        { id: 'start', type: 'manualTrigger' },
        { id: 'post', type: 'slackMessage', parameters, ...credential },
      ],
      connections: [{ sourceNodeId: 'start', targetNodeId: 'post' }],
    };
    await page.goto(`${service.baseUrl}/console/new-workflow`);
    await page.getByRole('tab', { name: 'JSON', exact: true }).click();
    await pasteOver(
      page.getByRole('textbox', { name: 'JSON of the workflow' }),
      JSON.stringify(definition, null, 2),
    );
    await page.getByRole('tab', { name: 'Graph', exact: true }).click();
    await page.locator('.react-flow__node[data-id="post"]').click();
    return field('channel (required)').getByRole('combobox');
  };

  beforeAll(async () => {
    const hosts = [new URL(slack.origin).host];
    for (const id of ['known', 'refused'])
      await sendJson(`${service.baseUrl}/api/admin/credentials/${id}`, 'PUT', {
        ...{ type: 'httpBearer', fields: {}, secrets: { token: `a-token-${id}` }, hosts },
      });
  });

  test('shows their names, of all pages, and keeps the value; it takes any text and expressions, too', async () => {
    const input = await open('known');
    await input.click();
    await page.getByRole('option', { name: /#orders/ }).waitFor();
    await page.getByRole('option', { name: /#tea/ }).click();
    await expectValue(input, 'C2');
    await field('channel (required)').getByText('#tea', { exact: true }).waitFor();
    await input.fill('C0999');
    await page.getByRole('option', { name: 'Use “C0999”' }).waitFor();
    await input.press('Escape');
    await expectValue(input, 'C0999');
    await input.fill('{{ channel }}');
    await field('channel (required)').locator('.cm-content').waitFor();
  });

  test.each([
    [null, 'Choose a credential first: the service asks with it.'],
    ['refused', /invalid_auth/],
  ])('says what went wrong with the credential %s', async (credentialId, problem) => {
    const input = await open(credentialId);
    await input.click();
    await field('channel (required)').getByRole('status').getByText(problem).waitFor();
  });
});

describe('what is hostile', () => {
  test('is shown as text: markup, and text from right to left', async () => {
    await openForm('set');
    const markup = '<img src=x onerror=alert(1)>שלום';
    await field('values (required)').getByLabel('New key of values').fill(markup);
    await field('values (required)').getByRole('button', { name: 'Add a key to values' }).click();
    await field(markup).getByRole('textbox').fill('{{ "<b>" & "שלום" }}');
    await resultOf(markup).waitFor();
    await expectCount(page.locator('img[src="x"]'), 0);
    await expectParameters({ values: { [markup]: '{{ "<b>" & "שלום" }}' } });
  });
});

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Of the form alone: what surrounds it is checked with the views, in console.test.ts. */
const findViolations = async (): Promise<string[]> => {
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run('#try-parameters', {
        runOnly: tags,
        resultTypes: ['violations'],
      }),
    TAGS,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
};

/** All: each has a page in the reference, which a test keeps up to date. */
const nodeTypes = readdirSync(join(projectRoot, 'docs/nodes'))
  .filter((name) => name !== 'INDEX.md')
  .map((name) => name.replace('.md', ''));

/** Each part of them in one page, which loads the console once. */
const parts = Map.groupBy(nodeTypes, (_, index) => Math.floor(index / 8));

test.each([...parts.values()].map((part) => [part.join(', '), part] as const))(
  'the forms of %s are shown, accessible and no wider than a phone',
  async (_, part) => {
    await page.addInitScript({ path: axeFile });
    await page.setViewportSize({ width: 360, height: 800 });
    for (const nodeType of part) {
      await openForm(nodeType, nodeType.endsWith('Trigger') ? 'empty' : 'with the example');
      const folded = page.getByRole('button', { name: /^Add .+ …$/ });
      while ((await folded.count()) > 0) await folded.first().click();
      const width = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
      expect([nodeType, width, await findViolations()]).toEqual([nodeType, 0, []]);
    }
  },
);
