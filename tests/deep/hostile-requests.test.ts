import { expect, test } from '@jest/globals';
import { aHostileService } from '../support/a-hostile-service.ts';
import { hostileInputs } from '../support/hostile-inputs.ts';

// How long each takes is measured by `npm run bench:hostile`.
// holds: bad-input-is-no-5xx
test('requests made to be slow are answered, none of them with a 5xx', async () => {
  const failed: string[] = [];
  const prepare = await aHostileService();
  for (const input of hostileInputs) {
    const status = await (await prepare(input))();
    if (status < 200 || status >= 500) failed.push(`${input.name}: ${status}`);
  }
  expect(failed).toEqual([]);
});
