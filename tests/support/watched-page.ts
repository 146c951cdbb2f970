import type { Page } from 'playwright-core';

/**
 * Collects what goes wrong in a page: errors and warnings in its console, which violations of its policy are too, and
 * errors that nothing catches.
 *
 * @param faults - to which the messages are added as they come
 * @returns `faults`
 */
export const watchPage = (page: Page, faults: string[] = []): string[] => {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => void faults.push(error.message));
  return faults;
};
