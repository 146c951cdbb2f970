import { expect, test } from '@jest/globals';
import { readConfig } from '../../lib/app/config.ts';
import { openRegistry } from '../../lib/app/sandbox.ts';
import type { Logger } from '../../lib/contract/services.ts';
import { silent } from '../support/a-run.ts';

const config = readConfig({ DISABLED_PLUGINS: 'manualTrigger,unknown' });

test('the registry is built once, from the installed plugins less those that are switched off', async () => {
  const load = openRegistry(config, silent);
  const registry = await load();
  expect(await load()).toBe(registry);
  expect(registry.findNodeType('webhookTrigger')).not.toBeNull();
  expect(registry.findNodeType('manualTrigger')).toBeNull();
});

test('a build that failed is tried again by the next request', async () => {
  let failures = 1;
  // An unknown id is logged while the registry is built: there the first build breaks.
  const logger: Logger = {
    ...silent,
    warn: () => {
      if (failures-- > 0) throw new Error('broken log');
    },
  };
  const load = openRegistry(config, logger);
  await expect(load()).rejects.toThrow('broken log');
  expect((await load()).findNodeType('webhookTrigger')).not.toBeNull();
});
