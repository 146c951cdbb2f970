import type { Page } from 'playwright-core';

/**
 * Collects what goes wrong in a page: errors and warnings in its console, which violations of its policy are too, and
 * errors that nothing catches. It waits as long as a slow machine needs: speed is the benchmarks' subject.
 *
 * @returns the messages, added as they come
 */
export const watchPage = (page: Page): string[] => {
  const faults: string[] = [];
  page.setDefaultTimeout(300_000);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => void faults.push(error.message));
  return faults;
};
