import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { poll } from './poll.ts';

/**
 * Waits until what a test reads in a page is as expected; it may be drawn later. Fails with what was read last.
 *
 * @param expected - a value or a matcher, as of `toEqual`
 */
export const expectRead = async (read: () => Promise<unknown>, expected: unknown): Promise<void> => {
  let last: unknown;
  const isExpected = async () => {
    last = await read();
    try {
      expect(last).toEqual(expected);
      return true;
    } catch {
      return false;
    }
  };
  await poll(isExpected).catch(() => expect(last).toEqual(expected));
};

/** @param text - all of it, or a matcher: `expect.stringContaining('…')` */
export const expectText = (locator: Locator, text: unknown): Promise<void> =>
  expectRead(() => locator.textContent(), text);

export const expectValue = (field: Locator, value: unknown): Promise<void> =>
  expectRead(() => field.inputValue(), value);

export const expectCount = (locator: Locator, count: number): Promise<void> =>
  expectRead(() => locator.count(), count);

export const expectAttribute = (locator: Locator, name: string, value: unknown): Promise<void> =>
  expectRead(() => locator.getAttribute(name), value);

export const expectTitle = (page: Page, title: unknown): Promise<void> =>
  expectRead(() => page.title(), title);

/** @param url - all of it, or a matcher */
export const expectUrl = (page: Page, url: unknown): Promise<void> => expectRead(async () => page.url(), url);
