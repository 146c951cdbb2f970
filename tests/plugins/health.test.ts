import type { Logger, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkHealth } from '../../lib/plugins/health.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const check = async (installed: readonly InstalledPlugin[], disabled: readonly string[] = []) => {
  const { clock, run } = aVirtualClock();
  const registry = await run(loadRegistry(installed, { logger: silent, clock, disabled }));
  return run(checkHealth(registry, { logger: silent, clock }));
};

const sound = installedUnified(aProvider({ id: 'sound', handles: [aHandle({ id: 'sound' })] }), 'sound');
const saying = (healthCheck: unknown) =>
  installedUnified(aProvider({ healthCheck: healthCheck as NonNullable<PluginProvider['healthCheck']> }));

describe('one plugin', () => {
  test.each<[string, InstalledPlugin, object]>([
    [
      'without a check of its own is healthy when it is sound',
      installedUnified(aProvider()),
      { status: 'healthy' },
    ],
    [
      'says what it finds',
      saying(() => ({ status: 'warning', message: 'quota low' })),
      { status: 'warning', message: 'quota low' },
    ],
    [
      'may find itself unhealthy',
      saying(async () => ({ status: 'unhealthy', message: 'no licence' })),
      { status: 'unhealthy', message: 'no licence' },
    ],
    [
      'whose check returns nothing',
      saying(() => undefined),
      { status: 'unhealthy', message: 'its health check returned an invalid result' },
    ],
    [
      'whose check throws',
      saying(() => {
        throw new Error('boom\n    at secret.ts:1');
      }),
      { status: 'unhealthy', message: 'boom' },
    ],
    [
      'whose check hangs',
      saying(() => new Promise(() => {})),
      { status: 'unhealthy', message: 'no result within 2000 ms', durationMs: 2_000 },
    ],
    [
      'whose check returns junk',
      saying(() => 'fine'),
      { status: 'unhealthy', message: 'its health check returned an invalid result' },
    ],
    [
      'whose check returns null',
      saying(() => null),
      { status: 'unhealthy', message: 'its health check returned an invalid result' },
    ],
    [
      'that is not loaded',
      installedUnified(aProvider({ version: 'x' })),
      { status: 'unhealthy', message: expect.stringContaining('version must be') },
    ],
    [
      'whose executor handles another type',
      installedLegacy(
        aLegacyProvider({
          nodeType: 'greeter',
          getExecutor: () => ({ getNodeType: () => 'else', execute: () => ({}) }),
        }),
        { id: 'greeter' },
      ),
      { status: 'unhealthy', message: 'the executor of "greeter" is for the node type "else"' },
    ],
    [
      'whose executor is none',
      installedLegacy(aLegacyProvider({ nodeType: 'greeter', getExecutor: () => ({}) as never }), {
        id: 'greeter',
      }),
      { status: 'unhealthy', message: 'the node type "greeter" has no executor' },
    ],
    [
      'whose executor does not say what it handles',
      installedLegacy(
        aLegacyProvider({ nodeType: 'greeter', getExecutor: () => ({ execute: () => ({}) }) as never }),
        { id: 'greeter' },
      ),
      { status: 'unhealthy', message: 'the node type "greeter" has no executor' },
    ],
    [
      'whose executor cannot be made',
      installedLegacy(
        aLegacyProvider({ nodeType: 'greeter', getExecutor: () => Promise.reject(new Error('no vendor')) }),
        { id: 'greeter' },
      ),
      { status: 'unhealthy', message: 'no vendor' },
    ],
    [
      'whose executor never comes',
      installedLegacy(
        aLegacyProvider({ nodeType: 'greeter', getExecutor: () => new Promise<never>(() => {}) }),
        { id: 'greeter' },
      ),
      { status: 'unhealthy', message: 'no result within 2000 ms' },
    ],
    [
      'whose message is long and has many lines',
      saying(() => ({ status: 'warning', message: `${'x'.repeat(900)}\nat stack` })),
      { status: 'warning', message: `${'x'.repeat(499)}…` },
    ],
    [
      'that lacks an optional dependency',
      installedUnified(aProvider({ dependencies: [{ pluginId: 'gone', optional: true }] })),
      { status: 'warning', message: expect.stringContaining('"gone"') },
    ],
    [
      'that lacks several says so of each',
      installedUnified(
        aProvider({
          dependencies: [
            { pluginId: 'gone', optional: true },
            { pluginId: 'lost', optional: true },
          ],
        }),
      ),
      { status: 'warning', message: expect.stringMatching(/"gone".*; .*"lost"/) },
    ],
  ])('%s', async (_case, plugin, finding) => {
    const report = await check([plugin, sound]);
    expect(report.plugins.greeter).toMatchObject({ ...finding, checkedAt: expect.stringMatching(/Z$/) });
    expect(report.plugins.sound?.status).toBe('healthy');
  });

  test('logs as itself', async () => {
    const { logger, entries } = aRecordingLogger();
    const { clock, run } = aVirtualClock();
    const talking = saying((context: { logger: Logger }) => {
      context.logger.info('checking');
      return { status: 'healthy' };
    });
    const registry = await run(loadRegistry([talking], { logger, clock }));
    await run(checkHealth(registry, { logger, clock }));
    expect(entries).toEqual([{ level: 'info', message: 'checking', fields: { plugin: 'greeter' } }]);
  });

  test('its signal is aborted when its time is up', async () => {
    let signal: AbortSignal | undefined;
    await check([
      saying((context: { signal: AbortSignal }) => {
        signal = context.signal;
        return new Promise(() => {});
      }),
    ]);
    expect(signal?.aborted).toBe(true);
  });
});

describe('the report', () => {
  test('is healthy when all are, with a count', async () => {
    const report = await check([sound, installedLegacy(aLegacyProvider())]);
    expect(report.status).toBe('healthy');
    expect(report.summary).toEqual({ total: 2, healthy: 2, warning: 0, unhealthy: 0, disabled: 0 });
  });

  test('is degraded when one is not, and counts warnings separately', async () => {
    const report = await check([sound, saying(() => ({ status: 'warning' })), installedLegacy(null)]);
    expect(report.status).toBe('degraded');
    expect(report.summary).toEqual({ total: 3, healthy: 1, warning: 1, unhealthy: 1, disabled: 0 });
  });

  test('is unhealthy when none works, ignoring disabled ones', async () => {
    const report = await check([sound, installedLegacy(null)], ['sound']);
    expect(report.status).toBe('unhealthy');
    expect(report.summary).toEqual({ total: 2, healthy: 0, warning: 0, unhealthy: 1, disabled: 1 });
    expect(report.plugins.sound).toMatchObject({ status: 'disabled' });
  });

  test('is not unhealthy with warnings only', async () => {
    expect((await check([saying(() => ({ status: 'warning' }))])).status).toBe('degraded');
  });

  test('is unhealthy without plugins', async () => {
    expect((await check([])).status).toBe('unhealthy');
  });

  test('checks all plugins at once: two that hang take no longer than one', async () => {
    const hanging = (id: string) =>
      installedUnified(
        aProvider({ id, handles: [aHandle({ id })], healthCheck: () => new Promise(() => {}) }),
        id,
      );
    const report = await check([hanging('a'), hanging('b')]);
    expect(report.plugins.a?.durationMs).toBe(2_000);
    expect(report.plugins.b?.durationMs).toBe(2_000);
    expect(report.plugins.a?.checkedAt).toBe(report.plugins.b?.checkedAt);
  });
});
