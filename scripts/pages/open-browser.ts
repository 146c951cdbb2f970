import chromium from '@sparticuz/chromium';
import { type Browser, type LaunchOptions, chromium as playwright } from 'playwright-core';

/**
 * Headless Chromium from its npm package, without the package's arguments, which are for Lambda: a single
 * process, which ends with its first page, and disabled web security. The package unpacks it into the folder for temporary
 * files.
 * @internal
 */
export const browserOptions = async (): Promise<LaunchOptions> => ({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu'],
  headless: true,
});

export const openBrowser = async (): Promise<Browser> => playwright.launch(await browserOptions());
