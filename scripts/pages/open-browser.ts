import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/**
 * Headless Chromium from its npm package, without the package's arguments, which are for Lambda: a single
 * process, which ends with its first page, and disabled web security.
 */
export const openBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader'],
    headless: true,
  });
