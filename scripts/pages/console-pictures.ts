import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { copyProject } from '../bench/local-copy.ts';
import { type SampleIds, storeConsoleSamples } from './console-samples.ts';

/** The views of the console that documents show, by the name of their pictures. */
const views: Readonly<Record<string, (ids: SampleIds) => string>> = {
  overview: () => '',
  workflows: () => '/workflows',
  workflow: ({ workflowId }) => `/workflows/${workflowId}`,
  trial: ({ workflowId, executionId }) => `/workflows/${workflowId}/edit?execution=${executionId}`,
  executions: () => '/executions',
  execution: ({ executionId }) => `/executions/${executionId}`,
  'bulk-retry': ({ bulkRetryId }) => `/bulk-retries/${bulkRetryId}`,
  requests: ({ workflowId }) => `/requests?workflowId=${workflowId}`,
  approvals: () => '/approvals',
  credentials: () => '/credentials',
  variables: () => '/variables',
  plugins: () => '/plugins',
  'node-type': ({ nodeType }) => `/node-types/${nodeType}`,
};

/** Those with a graph, whose code is loaded after their data. */
const drawn = ['workflow', 'trial', 'execution'];

/** Of a page, in pixels. */
const size = { width: 1_280, height: 800 };

const themes = ['light', 'dark'] as const;

/** Pictures the console of a local service with samples, as `console-NAME-THEME.png`. */
export const takeConsolePictures = async (browser: Browser, folder: string): Promise<void> => {
  const project = copyProject();
  try {
    const service = await project.start();
    try {
      const ids = await storeConsoleSamples(service.baseUrl);
      for (const colorScheme of themes) {
        const page = await browser.newPage({
          viewport: size,
          reducedMotion: 'reduce', // no picture of something that fades in
          colorScheme,
        });
        for (const [name, toPath] of Object.entries(views)) {
          await openView(page, `${service.baseUrl}/console${toPath(ids)}`);
          if (drawn.includes(name)) await page.locator('.react-flow__node').first().waitFor();
          if (name === 'trial') await showData(page);
          await page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
          await page.setViewportSize(size);
        }
        await page.close();
      }
    } finally {
      await service.stop();
    }
  } finally {
    project.remove();
  }
};

/** Selects the node that failed, and makes room for its data, which is below the graph. */
const showData = async (page: Page): Promise<void> => {
  await page.setViewportSize({ ...size, height: 1_400 });
  await page.locator('.react-flow__node[data-id="charge"]').click();
  await page
    .getByText(/^From execution/)
    .last()
    .waitFor();
  await page.locator('.cm-content').first().waitFor();
};

/** Opens a view and waits until it shows its data. */
export const openView = async (page: Page, url: string): Promise<void> => {
  await page.goto(url);
  await page.locator('main h1').first().waitFor();
  while (/^(?:Loading|…)$/m.test(await page.locator('main').innerText())) await page.waitForTimeout(50);
};
