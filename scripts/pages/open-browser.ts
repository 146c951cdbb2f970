import { setTimeout } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** How often a launch is tried while another process unpacks the browser, and the pause between, in milliseconds. */
const TRIES = 600;
const PAUSE_MS = 200;

/**
 * Headless Chromium from its npm package, without the package's arguments, which are for Lambda: a single
 * process, which ends with its first page, and disabled web security. The package unpacks it into the folder for temporary
 * files, where a process finds the file of another one that is still being written and can't be executed.
 */
export const openBrowser = async (): Promise<Browser> => {
  for (let tries = 1; ; tries++) {
    try {
      return await playwright.launch({
        executablePath: await chromium.executablePath(),
        args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader'],
        headless: true,
      });
    } catch (error) {
      if (tries === TRIES || !(error as Error).message.includes('ETXTBSY')) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
};
