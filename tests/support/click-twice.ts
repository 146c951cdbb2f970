import type { Locator } from 'playwright-core';

/** Clicks again before the page can have drawn what the first click did. */
export const clickTwice = (button: Locator): Promise<void> =>
  button.evaluate((element) => {
    element.click();
    element.click();
  });
