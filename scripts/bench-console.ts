// Measures the console of a local service: how long a cold load takes until a view shows its data, its script, and how
// long edits of a large workflow take. npm run bench:console
import type { Browser } from 'playwright-core';
import { copyProject } from '../tests/support/copy-project.ts';
import { startLocalService } from '../tests/support/local-service.ts';
import { measureEdits } from './bench/edit-times.ts';
import { median, printMachine, printTable } from './bench/measure.ts';
import { openView } from './pages/console-pictures.ts';
import { storeConsoleSamples } from './pages/console-samples.ts';
import { openBrowser } from './pages/open-browser.ts';

const LOADS = 7;

const load = async (browser: Browser, url: string) => {
  const context = await browser.newContext(); // with an empty cache
  try {
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) sizes.push(response.body().then(({ length }) => length));
    });
    const startedAt = performance.now();
    await openView(page, url);
    const usableMs = performance.now() - startedAt;
    await page.waitForLoadState('networkidle'); // a graph is loaded after the view
    return { usableMs, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
  } finally {
    await context.close();
  }
};

const project = copyProject();
const browser = await openBrowser();
try {
  const service = await startLocalService({ cwd: project.folder });
  try {
    const { executionId, workflowId } = await storeConsoleSamples(service.baseUrl);
    const paths = ['', '/workflows', `/workflows/${workflowId}`, '/executions', `/executions/${executionId}`];
    const rows: string[][] = [];
    for (const path of [...paths, '/node-types']) {
      const loads: Awaited<ReturnType<typeof load>>[] = [];
      for (let at = 0; at < LOADS; at++) loads.push(await load(browser, `${service.baseUrl}/console${path}`));
      const usableMs = Math.round(median(loads.map((one) => one.usableMs)));
      const kilobytes = Math.round((loads[0]?.bytes ?? 0) / 1_000);
      rows.push([`/console${path}`, `${usableMs} ms`, `${kilobytes} kB`]);
    }
    const edits = await measureEdits(browser, service.baseUrl);
    printMachine();
    printTable('Cold loads of the console', ['view', 'until its data are shown, median', 'script'], rows);
    printTable(
      'Edits of a workflow of 500 nodes',
      ['edit', 'handler, median', 'until shown, median'],
      edits.map(({ edit, handlerMs, shownMs }) => [edit, `${Math.round(handlerMs)} ms`, `${shownMs} ms`]),
    );
  } finally {
    await service.stop();
  }
} finally {
  await browser.close();
  project.remove();
}
