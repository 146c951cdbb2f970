import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { copyProject } from '../../tests/support/copy-project.ts';
import { startLocalService } from '../../tests/support/local-service.ts';
import { type SampleIds, storeConsoleSamples } from './console-samples.ts';

/** The views of the console that documents show, by the name of their pictures. */
const views: Readonly<Record<string, (ids: SampleIds) => string>> = {
  overview: () => '',
  workflows: () => '/workflows',
  workflow: ({ workflowId }) => `/workflows/${workflowId}`,
  editor: ({ workflowId }) => `/workflows/${workflowId}/edit`,
  expression: ({ workflowId, executionId }) => `/workflows/${workflowId}/edit?execution=${executionId}`,
  conflict: ({ workflowId }) => `/workflows/${workflowId}/edit`,
  trial: ({ workflowId, executionId }) => `/workflows/${workflowId}/edit?execution=${executionId}`,
  executions: () => '/executions',
  execution: ({ executionId }) => `/executions/${executionId}`,
  'bulk-retry': ({ bulkRetryId }) => `/bulk-retries/${bulkRetryId}`,
  requests: ({ workflowId }) => `/requests?workflowId=${workflowId}`,
  approvals: () => '/approvals',
  credentials: () => '/credentials',
  'sign-in': () => '/credentials/calendar?dialog=sign-in',
  variables: () => '/variables',
  state: () => '/state?workflowId=count-orders',
  plugins: () => '/plugins',
  'node-type': ({ nodeType }) => `/node-types/${nodeType}`,
};

/** Those with a graph, whose code is loaded after their data. */
const drawn = ['workflow', 'editor', 'expression', 'conflict', 'trial', 'execution'];

/** Of a page, in pixels. */
const size = { width: 1_280, height: 800 };

const themes = ['light', 'dark'] as const;

/** Pictures the console of a local service with samples, as `console-NAME-THEME.png`. */
export const takeConsolePictures = async (browser: Browser, folder: string): Promise<void> => {
  const project = copyProject();
  try {
    const service = await startLocalService({ cwd: project.folder });
    try {
      const ids = await storeConsoleSamples(service.baseUrl);
      for (const colorScheme of themes) {
        for (const [name, toPath] of Object.entries(views)) {
          // Each with a storage of its own: the editor keeps what is not saved.
          const page = await browser.newPage({
            viewport: size,
            reducedMotion: 'reduce', // no picture of something that fades in
            colorScheme,
          });
          await openView(page, `${service.baseUrl}/console${toPath(ids)}`);
          if (drawn.includes(name)) await page.locator('.react-flow__node').first().waitFor();
          await prepare[name]?.(page, ids);
          await page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
          await page.close();
        }
      }
    } finally {
      await service.stop();
    }
  } finally {
    project.remove();
  }
};

interface Stored {
  readonly version: number;
  readonly definition: { readonly nodes: readonly { readonly id: string }[] };
}

const select = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`).click();

const parameter = (page: Page, name: string) =>
  page.getByRole('group', { name, exact: true }).getByRole('textbox');

/** What is done before the picture, by the name of the view. */
const prepare: Readonly<Record<string, (page: Page, ids: SampleIds) => Promise<void>>> = {
  'sign-in': (page) => page.getByRole('dialog').waitFor(),
  editor: async (page) => {
    await select(page, 'large');
    await parameter(page, 'condition (required)').fill('{{ $sun(body.items.price) > 500 }}');
    await page.getByRole('button', { name: /^\d problem/ }).click();
    await page.getByRole('button', { name: /^Use / }).first().waitFor();
  },
  expression: async (page) => {
    await select(page, 'receipt');
    await parameter(page, 'receipt').fill('{{ $nodes.request.body. }}');
    for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option').first().waitFor();
  },
  conflict: async (page, { workflowId }) => {
    await select(page, 'review');
    await page.getByLabel('Notes').fill('Ask the team first');
    const address = new URL(`/api/admin/workflows/${workflowId}`, page.url());
    const stored = (await (await fetch(address)).json()) as Stored;
    const { definition, version } = stored;
    const theirs = definition.nodes.map((node) =>
      node.id === 'review' ? { ...node, notes: `Ask Grace, since version ${version}` } : node,
    );
    await fetch(address, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...definition, nodes: theirs }),
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Take theirs').first().waitFor();
  },
  /** Makes room for the data of the node that failed, which is below the graph. */
  trial: async (page) => {
    await page.setViewportSize({ ...size, height: 1_400 });
    await select(page, 'charge');
    await page
      .getByText(/^From execution/)
      .last()
      .waitFor();
    await page.locator('.cm-content').first().waitFor();
  },
};

/** Opens a view and waits until it shows its data. */
export const openView = async (page: Page, url: string): Promise<void> => {
  await page.goto(url);
  await page.locator('main h1').first().waitFor();
  while (/^(?:Loading|…)$/m.test(await page.locator('main').innerText())) await page.waitForTimeout(50);
};
