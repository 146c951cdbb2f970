import { type Browser, chromium } from 'playwright-core';
import { PATIENCE_MS } from './deep.ts';
import { sharedByRun } from './shared-by-run.ts';

/** A connection to the browser of the run. Closing it closes its own pages alone. */
export const aBrowser = async (): Promise<Browser> => {
  const browser = await chromium.connect(await sharedByRun('browser'));
  return browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
};
