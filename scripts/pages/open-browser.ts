import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/**
 * Chromium without a window, from the npm package that brings it. Not with the arguments of that package, which are for Lambda: one
 * process, which ends with its first page, and no security of the web.
 */
export const openBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader'],
    headless: true,
  });
