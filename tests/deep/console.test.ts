import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openView } from '../../scripts/pages/console-pictures.ts';
import { type SampleIds, storeConsoleSamples } from '../../scripts/pages/console-samples.ts';
import { aBrowser } from '../support/a-browser.ts';
import { findTreeFaults } from '../support/accessibility-tree.ts';
import { readViewPaths } from '../support/console-views.ts';
import { cases } from '../support/deep.ts';
import { expectCount, expectRead, expectText, expectTitle, expectValue } from '../support/expect-text.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { watchPage } from '../support/watched-page.ts';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const viewPaths = readViewPaths();

/** Views that show something only if their query names it. */
const statePaths = [
  '/state?workflowId=count-orders',
  '/state/entry?workflowId=count-orders&key=customer%2Fada',
  '/state/entry?workflowId=count-orders&key=order%2FA-1',
  '/credentials/calendar?dialog=sign-in',
];

let service: RunningService;
let browser: Browser;
let ids: SampleIds;

beforeAll(async () => {
  browser = await aBrowser();
  service = await startLocalService();
  ids = await storeConsoleSamples(service.baseUrl);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** The path of a view of the samples. */
const fillPath = (pattern: string): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`the samples have nothing for "${name}" in ${pattern}`);
    return encodeURIComponent(id);
  });

interface Visit {
  readonly page: Page;
  /** Messages of the page, requests to other hosts, and requests that fail. */
  readonly faults: readonly string[];
}

type Theme = 'light' | 'dark';

const visit = async <Result>(
  { theme = 'light', width = 1_280 }: { readonly theme?: Theme; readonly width?: number },
  act: (visit: Visit) => Promise<Result>,
): Promise<Result> => {
  const context: BrowserContext = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    const faults = watchPage(page);
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(service.baseUrl))
        faults.push(`request: ${request.url()}`);
    });
    return await act({ page, faults });
  } finally {
    await context.close();
  }
};

const open = (page: Page, path: string): Promise<void> =>
  openView(page, `${service.baseUrl}/console${path === '/' ? '' : path}`);

/** Elements whose text is data beside their label, which their name need not repeat: values of a list box, rows of a tree. */
const SHOWS_DATA = /^<[^>]*(?:aria-haspopup="listbox"|role="treeitem")/;

/** What is as small as a whole graph makes it, on a phone: its buttons zoom in. */
const ZOOMS = /^<div class="react-flow__node/;

const findViolations = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: tags,
        rules: { 'heading-order': { enabled: true }, 'page-has-heading-one': { enabled: true } },
      }),
    TAGS,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => !(id === 'label-content-name-mismatch' && SHOWS_DATA.test(html)))
      .filter(({ html }) => !(id === 'target-size' && ZOOMS.test(html)))
      .map(({ target }) => `${id}: ${target.join(' ')}`),
  );
};

const findTreeFaultsOf = async (page: Page): Promise<readonly string[]> =>
  findTreeFaults(await page.locator('body').ariaSnapshot());

/** Cells of tables that one sees only after scrolling sideways, by the name of the table and their text. */
const findHiddenCells = (page: Page): Promise<string[]> =>
  page.locator('main table').evaluateAll((tables) =>
    tables.flatMap((table) => {
      const frame = table.parentElement?.getBoundingClientRect();
      return [...table.querySelectorAll('th, td')]
        .map((cell) => ({ cell, box: cell.getBoundingClientRect() }))
        .filter(({ box }) => frame !== undefined && box.width > 0 && box.right > frame.right + 1)
        .map(({ cell }) => `${table.getAttribute('aria-label')}: ${cell.textContent?.slice(0, 40)}`);
    }),
  );

/** Views with a graph, whose code is loaded after their data. */
const drawn = /^\/(?:workflows\/:workflowId(?:\/edit)?|executions\/:executionId)(?:\?node|$)/;

const openDrawn = async (page: Page, pattern: string): Promise<void> => {
  await open(page, fillPath(pattern));
  if (drawn.test(pattern)) await page.locator('.react-flow__node').first().waitFor();
};

/** Views with a table. */
const lists = [
  '/workflows',
  '/executions',
  '/bulk-retries',
  '/approvals',
  '/plugins',
  '/node-types',
  '/requests?workflowId=:workflowId',
  '/workflows/:workflowId?tab=executions',
];

test.each([360, 1_280])('at %i px, no list has to be scrolled sideways', async (width) => {
  await visit({ width }, async ({ page, faults }) => {
    for (const path of lists) {
      await open(page, fillPath(path));
      await page.locator('main tbody tr').first().waitFor();
      const overflow = await page
        .locator('html')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect([path, overflow, await findHiddenCells(page)]).toEqual([path, 0, []]);
    }
    expect(faults).toEqual([]);
  });
});

test.each([
  '/workflows/:workflowId?node=charge',
  '/workflows/:workflowId?tab=triggers',
  '/workflows/:workflowId?tab=versions',
  '/workflows/:workflowId?tab=executions',
  '/executions/:executionId?node=charge',
  '/executions/:executionId?dialog=retry',
  '/requests?workflowId=:workflowId',
])('%s has names that tell its controls apart', async (pattern) => {
  await visit({}, async ({ page, faults }) => {
    await openDrawn(page, pattern);
    expect([await findTreeFaultsOf(page), faults]).toEqual([[], []]);
  });
});

test('a workflow is shown and used before the code of its graph is there', async () => {
  await visit({}, async ({ page, faults }) => {
    const graphCode = Promise.withResolvers<void>();
    const loaded = new Map<string, number>(); // a part is fetched before it is imported
    await page.route('**/console/assets/*.js', async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      if (body.includes('react-flow__renderer')) await graphCode.promise;
      else loaded.set(route.request().url(), body.length);
      await route.fulfill({ response, body });
    });
    await page.goto(`${service.baseUrl}/console${fillPath('/workflows/:workflowId')}`);
    await page.getByText('Drawing the graph').waitFor();
    await page.getByRole('tab', { name: 'Executions' }).click();
    await page.getByRole('table', { name: 'Last executions' }).getByRole('link').first().waitFor();
    expect([...loaded.values()].reduce((sum, length) => sum + length, 0)).toBeLessThan(1_200_000);
    await page.getByRole('tab', { name: 'Graph' }).click();
    graphCode.resolve();
    await page.locator('.react-flow__node').first().waitFor();
    expect(faults).toEqual([]);
  });
});

test('on a phone the filters of a list are folded, and say how many are set', async () => {
  await visit({ width: 360 }, async ({ page, faults }) => {
    await open(page, fillPath('/executions?workflowId=:workflowId&last=1-day'));
    const row = page.locator('main tbody tr').first();
    await row.waitFor();
    expect((await row.boundingBox())?.y).toBeLessThan(800); // of the screen
    const status = page.getByRole('button', { name: /^Status/ });
    await status.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Filters (2)' }).press('Enter');
    await status.click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Filters (3)' }).waitFor();
    await open(page, '/requests');
    await page.getByRole('combobox', { name: 'Workflow' }).waitFor(); // one has to be chosen
    expect(faults).toEqual([]);
  });
});

test('the views of the console are found', () => {
  expect(viewPaths.length).toBeGreaterThan(5);
  expect(viewPaths).toContain('/node-types');
});

const looks: readonly (readonly [theme: Theme, width: number])[] = [
  ['light', 1_280],
  ['dark', 360],
  ['dark', 1_280],
  ['light', 360],
];

describe.each(cases(looks.slice(0, 2), looks))('in the %s theme, %i px wide,', (theme, width) => {
  test.each([...viewPaths, ...statePaths])(
    '%s is accessible, quiet, and no wider than the window',
    async (pattern) => {
      await visit({ theme, width }, async ({ page, faults }) => {
        // Into the page's own world, as its policy lets no other script in.
        await page.addInitScript({ path: axeFile });
        await openDrawn(page, pattern);
        expect(await page.locator('h1').first().textContent()).not.toBe('There is no such page');
        await expectTitle(page, expect.stringMatching(/^[^:]+ · Hookloom$/));
        const isDark =
          (await page.locator('body').getAttribute('class'))?.includes('awsui-dark-mode') ?? false;
        expect(isDark).toBe(theme === 'dark');
        const overflow = await page
          .locator('html')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        expect([await findViolations(page), await findTreeFaultsOf(page), faults, overflow]).toEqual([
          [],
          [],
          [],
          0,
        ]);
      });
    },
  );

  test('the search is accessible', async () => {
    await visit({ theme, width }, async ({ page, faults }) => {
      await page.addInitScript({ path: axeFile });
      await open(page, '/node-types');
      await page.keyboard.press('/');
      await page.keyboard.type('http');
      await page.getByRole('option', { name: 'httpRequest' }).waitFor();
      expect([await findViolations(page), faults]).toEqual([[], []]);
    });
  });
});

describe('long names and values', () => {
  const id = `a-${'long'.repeat(15)}`;
  const nodeId = 'n'.repeat(60);
  let paths: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const put = (path: string, body: unknown) =>
      fetch(`${service.baseUrl}/api/admin/${path}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const stored = [
      await put(`workflows/${id}`, {
        id,
        name: 'x'.repeat(100),
        description: 'y'.repeat(1_000),
        tags: ['t'.repeat(30)],
        enabled: true,
        nodes: [
          {
            id: 'request',
            type: 'webhookTrigger',
            parameters: { responseMode: 'lastNode', recordRequests: true, deduplication: 'body.id' },
          },
          { id: nodeId, type: 'stopAndError', parameters: { message: 'm'.repeat(2_000) } },
        ],
        connections: [{ sourceNodeId: 'request', targetNodeId: nodeId }],
      }),
      await put('variables/a_long_value', { value: 'v'.repeat(2_000), description: 'd'.repeat(200) }),
      await put(`state/entry?workflowId=${id}&key=${'k'.repeat(1_000)}`, { value: 'v'.repeat(2_000) }),
    ];
    expect(stored.map(({ status }) => status)).toEqual([201, 201, 201]);
    const called = await fetch(`${service.baseUrl}/api/webhook/${id}/webhook?${'q'.repeat(900)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'k'.repeat(200) }),
    });
    expect(called.status).toBe(500);
    const read = async (path: string) => (await fetch(`${service.baseUrl}/api/admin/${path}`)).json();
    const { executions } = (await read(`executions?workflowId=${id}`)) as {
      readonly executions: readonly { readonly executionId: string }[];
    };
    const { requests } = (await read(`requests?workflowId=${id}`)) as {
      readonly requests: readonly { readonly id: string }[];
    };
    paths = {
      'the workflow': `/workflows/${id}?node=${nodeId}`,
      'its triggers': `/workflows/${id}?tab=triggers`,
      'its executions': `/executions?workflowId=${id}`,
      'the execution': `/executions/${executions[0]?.executionId}?node=${nodeId}`,
      'its requests': `/requests?workflowId=${id}`,
      'the request': `/requests/${requests[0]?.id}`,
      'the variables': '/variables',
      'its state': `/state?workflowId=${id}`,
      'an entry': `/state/entry?workflowId=${id}&key=${'k'.repeat(1_000)}`,
    };
  });

  test.each([
    'the workflow',
    'its triggers',
    'its executions',
    'the execution',
    'its requests',
    'the request',
    'the variables',
    'its state',
    'an entry',
  ])('make the page of %s no wider than a phone', async (name) => {
    await visit({ width: 360 }, async ({ page, faults }) => {
      await open(page, paths[name] ?? '');
      const [overflow, beyond] = await page.locator('main').evaluate((main) => {
        const { documentElement: html } = main.ownerDocument;
        // Tables and graphs scroll or move in their own place.
        const texts = [...main.querySelectorAll('h1, h2, p, dd, li, span, code')].filter(
          (element) =>
            element.closest('table, .react-flow, .cm-editor, [role="tree"], [role="tablist"]') === null,
        );
        const outside = texts.filter((element) => element.getBoundingClientRect().right > html.clientWidth);
        return [html.scrollWidth - html.clientWidth, outside.map(({ className }) => className)];
      });
      expect([overflow, beyond, faults]).toEqual([0, [], []]);
    });
  });
});

describe('a navigation between views', () => {
  test('names the tab, begins at the top, and moves the focus to the heading of the new view', async () => {
    await visit({}, async ({ page, faults }) => {
      const reach = async (title: string, heading: string | RegExp) => {
        const found = page.locator('main h1:focus', { hasText: heading });
        await found.waitFor();
        await expectTitle(page, `${title} · Hookloom`);
      };
      await open(page, '/node-types');
      await expectTitle(page, 'Node types · Hookloom');
      await expectCount(page.locator('h1:focus'), 0); // the page was loaded

      await page.getByRole('link', { name: 'httpRequest', exact: true }).first().click();
      await reach('httpRequest · Node type', 'HTTP request');
      await page.getByRole('link', { name: 'httpBearer' }).click();
      await reach('httpBearer · Credential type', /./);
      await page.goBack();
      await reach('httpRequest · Node type', 'HTTP request');

      const scrolled = () => page.locator('html').evaluate(({ scrollTop }) => scrollTop);
      await page.getByRole('heading', { name: 'Example' }).evaluate((heading) => heading.scrollIntoView());
      await expectRead(async () => (await scrolled()) > 100, true);
      await page.getByRole('link', { name: 'Workflows', exact: true }).click();
      await reach('Workflows', 'Workflows');
      await expectRead(scrolled, 0);
      await page.getByRole('link', { name: 'Collect a payment' }).click();
      await reach('collect-payment · Workflow', 'Collect a payment');
      expect(faults).toEqual([]);
    });
  });

  test('leaves the focus in a filter that is typed', async () => {
    await visit({}, async ({ page }) => {
      await open(page, '/node-types');
      await page.getByRole('searchbox', { name: 'Find node types' }).pressSequentially('smtp');
      await page.waitForURL('**/node-types?text=smtp');
      await expectValue(page.locator('input:focus'), 'smtp');
    });
  });

  test('that finds nothing has a title and a heading, too', async () => {
    await visit({}, async ({ page }) => {
      await open(page, '/credentials/none');
      await page.getByRole('heading', { name: 'Credential none' }).waitFor();
      await expectTitle(page, 'none · Credential · Hookloom');
      await open(page, '/nowhere');
      await expectTitle(page, 'Not found · Hookloom');
    });
  });
});

describe('the search', () => {
  test('opens with a key, is used by keys alone, and gives the focus back', async () => {
    await visit({}, async ({ page, faults }) => {
      await open(page, '/node-types');
      await page.keyboard.press('Control+k');
      const input = page.getByRole('combobox', { name: /^Search/ });
      await input.pressSequentially('order');
      await page.getByRole('option', { name: /import-orders/ }).waitFor();
      const chosen = () => page.getByRole('option', { selected: true }).textContent();
      const first = await chosen();
      await page.keyboard.press('ArrowDown');
      await expectRead(async () => (await chosen()) === first, false);
      await page.keyboard.press('ArrowUp');
      await expectRead(chosen, first);
      const active = (await input.getAttribute('aria-activedescendant')) ?? '';
      await expectText(page.locator(`[id="${active}"]`), first);
      await page.keyboard.press('Escape');
      await expectCount(page.getByRole('dialog'), 0);

      await page.getByRole('button', { name: /^Search/ }).press('Enter');
      await input.fill(ids.executionId ?? '');
      await page.getByRole('option', { name: ids.executionId ?? '' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console/executions/${ids.executionId}`);
      expect(faults).toEqual([]);
    });
  });

  test('leaves a slash to fields', async () => {
    await visit({}, async ({ page }) => {
      await open(page, '/node-types');
      const filter = page.getByRole('searchbox', { name: 'Find node types' });
      await filter.pressSequentially('a/b');
      await expectValue(filter, 'a/b');
      await expectCount(page.getByRole('dialog'), 0);
    });
  });
});

describe('plugins and health', () => {
  test('a report that nothing works is shown', async () => {
    await visit({}, async ({ page }) => {
      const report = {
        status: 'unhealthy',
        plugins: {},
        generatedAt: '2026-01-01T00:00:00.000Z',
        summary: { total: 0, healthy: 0, warning: 0, unhealthy: 0, disabled: 0 },
      };
      await page.route('**/api/admin/plugins/health', (route) =>
        route.fulfill({ status: 503, json: report }),
      );
      await open(page, '/plugins');
      await page.getByText('Unhealthy').first().waitFor();
      await expectCount(page.getByText('Try again'), 0);
    });
  });

  test('a plugin is disabled with a reason, and enabled again', async () => {
    await visit({}, async ({ page, faults }) => {
      await open(page, '/plugins/github');
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByLabel('Reason').fill('Its token leaked');
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page.getByText('Disabled on this stage').waitFor();
      await expectText(page.locator('main'), expect.stringContaining('Its token leaked'));
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByText('The plugin is enabled.').waitFor();
      expect(faults).toEqual([]);
    });
  });

  test('one that cannot be disabled says so', async () => {
    await visit({}, async ({ page }) => {
      await open(page, '/plugins/flow');
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page.getByText("The plugin flow can't be disabled on a stage.").waitFor();
    });
  });
});

test.each(['/executions', '/node-types'])('%s needs less than 1.2 MB of script', async (path) => {
  await visit({}, async ({ page }) => {
    const sizes = new Map<string, Promise<number>>(); // a part is fetched before it is imported
    page.on('response', (response) => {
      if (response.url().endsWith('.js'))
        sizes.set(
          response.url(),
          response.body().then(({ length }) => length),
        );
    });
    await open(page, path);
    const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(1_200_000);
  });
});
