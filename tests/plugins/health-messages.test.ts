import type { PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkHealth } from '../../lib/plugins/health.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const check = async (installed: readonly InstalledPlugin[]) => {
  const { clock, run } = aVirtualClock();
  const registry = await run(loadRegistry(installed, { logger: silent, clock }));
  return run(checkHealth(registry, { logger: silent, clock, deadlineMs: 100 }));
};

const checking = (healthCheck: unknown) =>
  installedUnified(aProvider({ healthCheck: healthCheck as NonNullable<PluginProvider['healthCheck']> }));

describe('the health message of a plugin', () => {
  test.each(['', '  ', '\n'])('is left out when it is blank: %j', async (message) => {
    const report = await check([checking(() => ({ status: 'healthy', message }))]);
    expect(report.plugins.greeter).toEqual({
      status: 'healthy',
      durationMs: 0,
      checkedAt: '2023-11-14T22:13:20.000Z',
    });
  });

  test('is left out when it is not text', async () => {
    const report = await check([checking(() => ({ status: 'warning', message: { secret: 1 } }))]);
    expect(report.plugins.greeter).not.toHaveProperty('message');
  });

  test('has only status and message', async () => {
    const report = await check([checking(() => ({ status: 'healthy', message: 'fine', token: 'secret' }))]);
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  test('is ignored when reading it throws', async () => {
    const report = await check([
      checking(() => ({
        get status() {
          throw new Error('odd getter');
        },
      })),
    ]);
    expect(report.plugins.greeter).toMatchObject({ status: 'unhealthy', message: 'odd getter' });
  });

  test('wins over a missing optional dependency when its status is worse', async () => {
    const provider = aProvider({
      dependencies: [{ pluginId: 'gone', optional: true }],
      healthCheck: () => ({ status: 'unhealthy', message: 'no licence' }),
    });
    expect((await check([installedUnified(provider)])).plugins.greeter).toMatchObject({
      status: 'unhealthy',
      message: 'no licence',
    });
  });

  test('has the measured time', async () => {
    const { clock, run } = aVirtualClock();
    const slow = async () => {
      await clock.sleep(30);
      return { status: 'healthy' };
    };
    const registry = await run(loadRegistry([checking(slow)], { logger: silent, clock }));
    const { plugins } = await run(checkHealth(registry, { logger: silent, clock, deadlineMs: 100 }));
    expect(plugins.greeter).toMatchObject({ status: 'healthy', durationMs: 30 });
  });
});

test('with a duplicate id belongs to the excluded plugin', async () => {
  const second = installedUnified(aProvider({ handles: [aHandle({ id: 'other' })] }));
  const report = await check([installedUnified(aProvider()), second]);
  expect(report).toMatchObject({ status: 'degraded', summary: { total: 2, healthy: 1, unhealthy: 1 } });
  expect(report.plugins).toMatchObject({
    greeter: { status: 'unhealthy', message: 'an earlier plugin in the list has the same id, "greeter"' },
  });
});
