import type { Page } from 'playwright-core';
import { PATIENCE_MS } from './deep.ts';

/**
 * Collects what goes wrong in a page: errors and warnings in its console, which violations of its policy are too, and
 * errors that nothing catches.
 *
 * @returns the messages, added as they come
 */
export const watchPage = (page: Page): string[] => {
  const faults: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => void faults.push(error.message));
  return faults;
};
