import { expect, test } from '@jest/globals';
import { expectRead } from './expect-text.ts';

test('what a page shows later than it is read is waited for', async () => {
  const shown = ['', 'Loading', '3 orders'];
  let reads = 0;
  await expectRead(async () => shown[reads++], expect.stringMatching(/^\d orders$/));
  expect(reads).toBe(3);
});
