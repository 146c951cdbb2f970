import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aBrowser } from '../support/a-browser.ts';
import { useRunningProject } from '../support/a-running-project.ts';
import { aDecision, waitingApproval } from '../support/an-approval.ts';
import {
  expectAttribute,
  expectCount,
  expectRead,
  expectText,
  expectTitle,
  expectValue,
} from '../support/expect-text.ts';

const project = useRunningProject({ LOG_LEVEL: 'warn' });
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What pages must not cause: messages in the console, which violations of their policy are too; dialogs; requests to elsewhere. */
let faults: string[];

beforeAll(async () => {
  browser = await aBrowser();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  faults = [];
  context = await browser.newContext();
  page = await context.newPage();
  page.on('console', (message) => void faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(project.service.baseUrl)) faults.push(`request: ${request.url()}`);
  });
});
afterEach(async () => {
  await context.close();
  // Chromium notes each answer of an error's status.
  expect(faults.filter((fault) => !/the server responded with a status of 4\d\d/.test(fault))).toEqual([]);
});

const formUrl = (id: string) => `${project.service.baseUrl}/api/webhook/${id}/webhook`;

/** Sends the form of a workflow, and waits for what it asks. */
const ask = async (id: string, changes: Omit<Parameters<typeof aDecision>[0], 'id'> = {}) => {
  await project.storeWorkflow(aDecision({ id, ...changes }));
  await project.post(`/api/webhook/${id}/webhook`, JSON.stringify({ what: 'A kettle', cost: 39.9 }), {
    'content-type': 'application/json',
  });
  return waitingApproval(project, id);
};

const expectHeading = (text: string) => expectText(page.locator('h1'), text);

describe('the page of an approval', () => {
  test('keeps the input beside its errors, takes the decision, and is done', async () => {
    const { address, executionId } = await ask('kettle');
    await page.goto(address);
    await expectHeading('A kettle for 39.9');
    await expectText(page.locator('strong'), '39.9 EUR');
    await page.getByLabel('Comment').fill('Buy\nthe red one');
    await page.getByLabel('Up to how many euros?').fill('forty');
    await page.getByLabel('How to pay').selectOption('cash');
    await page.getByRole('button', { name: 'Approve' }).click();

    await expectTitle(page, 'Error: A kettle for 39.9');
    await expectValue(page.getByLabel('Comment'), 'Buy\nthe red one');
    await expectValue(page.getByLabel('How to pay'), 'cash');
    const limit = page.getByLabel('Up to how many euros?');
    await expectValue(limit, 'forty');
    await expectAttribute(limit, 'aria-invalid', 'true');
    const described = (await limit.getAttribute('aria-describedby'))?.split(' ') ?? [];
    await expectText(page.locator(`#${described.at(-1)}`), 'Enter a whole number, such as 12.');
    await page.getByRole('alert').getByRole('link').click();
    await expectRead(
      () => limit.evaluate((element) => element === element.ownerDocument.activeElement),
      true,
    );

    await limit.fill('40');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectHeading('Approved');
    await page.goto(address);
    await expectText(page.locator('main'), expect.stringContaining('It was already approved'));
    const { stdout } = await project.cli(`execution show ${executionId} --json`);
    const answers = { comment: 'Buy\nthe red one', limit: 40, pay: 'cash' };
    expect(stdout).toContain('"decision": "approve"');
    for (const [name, value] of Object.entries(answers))
      expect(stdout).toContain(`"${name}": ${JSON.stringify(value)}`);
  });

  test('decides once when it is open twice', async () => {
    const { address } = await ask('twice');
    const other = await context.newPage();
    await Promise.all([page.goto(address), other.goto(address)]);
    await other.getByRole('button', { name: 'Reject' }).click();
    await expectText(other.locator('h1'), 'Rejected');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectText(page.locator('main'), expect.stringContaining('It was already rejected'));
  });

  test('ignores the enter key in a field', async () => {
    const { address } = await ask('enter');
    await page.goto(address);
    await page.getByLabel('Up to how many euros?').fill('7');
    await page.keyboard.press('Enter');
    await expectValue(page.getByLabel('Up to how many euros?'), '7');
    expect((await waitingApproval(project, 'enter')).address).toBe(address);
  });
});

describe('the page of a form', () => {
  test('starts one run for the same answers of a page, and another for other answers', async () => {
    await project.storeWorkflow(aDecision({ id: 'form' }));
    await page.goto(formUrl('form'));
    await page.getByRole('button', { name: 'Send' }).click();
    await expectText(
      page.getByRole('alert'),
      expect.stringContaining('What do you need? Fill in this field.'),
    );
    await page.getByLabel('What do you need?').fill('A kettle');
    await page.getByLabel('Cost in euros').fill('39.90');
    await page.getByLabel('Team').selectOption('Garden');
    await page.getByLabel('Needed by').fill('2026-12-24');
    await page.getByLabel("It can't wait").check();
    const send = () =>
      Promise.all([
        page.waitForResponse(formUrl('form')),
        page.getByRole('button', { name: 'Send' }).click(),
      ]);
    const [first] = await send();
    await expectHeading('Thank you');
    const [again] = await Promise.all([page.waitForResponse(formUrl('form')), page.reload()]);
    const idOf = (answer: typeof first) => answer.headers()['hookloom-execution-id'];
    expect([idOf(again), again.headers()['hookloom-duplicate']]).toEqual([idOf(first), 'true']);
  });
});

describe('markup is shown as text', () => {
  const html = `<script>alert(1)</script><img src=x onerror=alert(2)>"'><svg onload=alert(3)>`;
  const markup = `${html}\n\n[link](javascript:alert(4)) ![pixel](https://evil.example/p.png) <https://safe.example>\n\n<style>*{display:none}</style>`;

  test('in the question, in field names, and in answers', async () => {
    const fields = {
      type: 'object',
      properties: {
        [html]: { type: 'string', description: html, default: html, maxLength: 60 },
        'b"> onfocus="alert(5)': { enum: [html, 'no'], title: html },
        __proto__x: { type: 'string', maxLength: 1_000, default: `</textarea>${html}` },
      },
    };
    const { address } = await ask('tricks', { ask: { title: html, text: markup, askedBy: html, fields } });
    const check = async () => {
      await expectHeading(html);
      const text = await page.locator('main').innerText();
      expect(text).toContain(`Requested by ${html}`);
      expect(text).toContain('<style>*{display:none}</style>');
      await expectCount(page.locator('script, img, svg, main style, [onfocus], a[href^="javascript"]'), 0);
      await expectValue(page.locator('textarea'), `</textarea>${html}`);
    };
    await page.goto(address);
    await check();
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectText(page.getByRole('alert'), expect.stringContaining('Enter at most 60 characters.'));
    await check();
    await expectValue(page.locator('input').first(), html);
  });
});

describe('axe finds no violation of WCAG 2.2, levels A and AA,', () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

  /** In a context of its own, for the policy of the pages lets no script in. */
  const findViolations = async (
    visit: (page: Page) => Promise<unknown>,
    colorScheme: 'light' | 'dark',
  ): Promise<readonly string[]> => {
    const own = await browser.newContext({ bypassCSP: true, colorScheme });
    try {
      const visited = await own.newPage();
      await visit(visited);
      await visited.addScriptTag({ path: source });
      const { violations } = await visited.evaluate(
        (values) => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: values }),
        tags,
      );
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    } finally {
      await own.close();
    }
  };

  const markdown =
    '# One\n\n## Two\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n\n`code` [link](https://example.com) [](https://example.com) ![image](https://example.com/p.png)\n\n```js\nlong\n```';
  const fields = {
    type: 'object',
    required: ['way', 'yes'],
    properties: {
      way: { enum: ['by train', 'by ship'], title: 'Way' },
      yes: { type: 'boolean', title: 'Agreed', description: 'To all of it', const: true },
      mail: { type: 'string', format: 'email', title: 'Mail' },
      comment: { type: 'string', title: 'Comment', maxLength: 500 },
      team: { enum: ['a', 'b', 'c', 'd', 'e', 'f'], title: 'Team' },
    },
  };

  test.each(['light', 'dark'] as const)('on any page, in %s', async (scheme) => {
    const { address } = await ask(`axe-${scheme}`, { ask: { text: markdown, fields } });
    const press = (name: string) => (visited: Page) => visited.getByRole('button', { name }).click();
    const open = (url: string) => (visited: Page) => visited.goto(url);
    const both =
      (...steps: readonly ((visited: Page) => Promise<unknown>)[]) =>
      async (visited: Page) => {
        for (const step of steps) await step(visited);
      };
    const choose = async (visited: Page) => {
      await visited.getByLabel('by ship').check();
      await visited.getByLabel('Agreed').check();
    };
    const visits = {
      asked: open(address),
      refused: both(open(address), press('Approve')),
      decided: both(open(address), choose, press('Reject')),
      gone: open(address),
      form: open(formUrl(`axe-${scheme}`)),
      'form, refused': both(open(formUrl(`axe-${scheme}`)), press('Send')),
    };
    const found: Record<string, readonly string[]> = {};
    for (const [name, visit] of Object.entries(visits)) found[name] = await findViolations(visit, scheme);
    expect(found).toEqual(Object.fromEntries(Object.keys(visits).map((name) => [name, []])));
  });
});
