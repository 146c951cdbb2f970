import type { Browser } from 'playwright-core';
import { openView } from '../pages/console-pictures.ts';
import { median } from './measure.ts';

const NODES = 500;
const TIMES = 15;
/** Longer than the editor waits after an edit until it keeps the draft, has it checked and ends what is undone at once. */
const PAUSE_MS = 1_500;

interface Times {
  /** Time of the handlers, in which the page draws its elements anew, in milliseconds. */
  readonly handlerMs: number;
  /** Time until the browser shows it, in milliseconds. */
  readonly shownMs: number;
}

/** Medians. */
export interface EditTimes extends Times {
  readonly edit: string;
}

/** Run in the page: the events are those of the Event Timing API, which leaves out what is shown within 16 ms. */
const OBSERVE = `
  const entries = [];
  new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({
    type: 'event',
    durationThreshold: 16,
  });
  globalThis.takeSlowest = () => {
    const [slowest] = entries.splice(0).sort((one, other) => other.duration - one.duration);
    return {
      handlerMs: slowest === undefined ? 0 : slowest.processingEnd - slowest.processingStart,
      shownMs: slowest?.duration ?? 16,
    };
  };
`;

/** Edits a workflow of 500 nodes by keyboard, in the editor of a local service. */
export const measureEdits = async (browser: Browser, baseUrl: string): Promise<readonly EditTimes[]> => {
  const ids = Array.from({ length: NODES }, (_, index) => `n${index}`);
  await fetch(`${baseUrl}/api/admin/workflows/large`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'large',
      name: 'Large',
      enabled: false,
      nodes: ids.map((id, index) => ({
        id,
        ...(index === 0
          ? { type: 'webhookTrigger', parameters: {} }
          : { type: 'set', parameters: { values: { [id]: index } } }),
        position: { x: (index % 25) * 260, y: Math.floor(index / 25) * 120 },
      })),
      connections: ids.slice(1).map((id, index) => ({ sourceNodeId: ids[index], targetNodeId: id })),
    }),
  });
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
  try {
    await openView(page, `${baseUrl}/console/workflows/large/edit`);
    await page.evaluate(OBSERVE);
    const press = async (key: string, nodeId: string) => {
      await page.locator(`.react-flow__node[data-id="${nodeId}"]`).click();
      await page.waitForTimeout(PAUSE_MS);
      await page.evaluate('takeSlowest()');
      await page.keyboard.press(key);
      await page.waitForTimeout(PAUSE_MS);
      return page.evaluate<Times>('takeSlowest()');
    };
    const edits = [
      { edit: 'move a node', key: 'ArrowRight', on: 'n260' },
      { edit: 'remove a node', key: 'Delete', on: 'n260' },
      { edit: 'undo, which adds it', key: 'Control+z', on: 'n265' },
    ].map((edit) => ({ ...edit, times: [] as Times[] }));
    for (let time = 0; time < TIMES; time++)
      for (const { key, on, times } of edits) times.push(await press(key, on));
    return edits.map(({ edit, times }) => ({
      edit,
      handlerMs: median(times.map(({ handlerMs }) => handlerMs)),
      shownMs: median(times.map(({ shownMs }) => shownMs)),
    }));
  } finally {
    await page.close();
  }
};
