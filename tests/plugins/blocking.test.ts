import type { PluginContext, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkHealth } from '../../lib/plugins/health.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

/** The health of a plugin that blocks the thread, and of one whose check waits for something outside meanwhile. */
const checkBeside = async (toBlocking: (block: (ms: number) => void) => Partial<PluginProvider>) => {
  const { clock, run, block } = aVirtualClock();
  const waiting = aProvider({
    id: 'waiting',
    handles: [aHandle({ id: 'wait' })],
    healthCheck: async ({ clock }: PluginContext) => {
      // Two calls, of which the second begins when the first has answered.
      await clock.sleep(700);
      await clock.sleep(700);
      return { status: 'healthy' };
    },
  });
  const installed = [installedUnified(waiting, 'waiting'), installedUnified(aProvider(toBlocking(block)))];
  const registry = await run(loadRegistry(installed, { logger: silent, clock }));
  return run(checkHealth(registry, { logger: silent, clock }));
};

describe('a plugin that blocks the thread for a second', () => {
  test('in its init is one row with the reason', async () => {
    const { plugins } = await checkBeside((block) => ({ init: () => block(1_000) }));
    expect(plugins.greeter).toMatchObject({
      status: 'warning',
      message: 'its init blocked the thread for 1000 ms',
    });
    expect(plugins.waiting).toMatchObject({ status: 'healthy' });
  });

  test('in its health check is one row with the reason', async () => {
    const { plugins, status } = await checkBeside((block) => ({
      healthCheck: () => {
        block(1_000);
        return { status: 'healthy' };
      },
    }));
    expect(plugins.greeter).toMatchObject({
      status: 'warning',
      message: 'its health check blocked the thread for 1000 ms',
    });
    expect(plugins.waiting).toMatchObject({ status: 'healthy' });
    expect(status).toBe('degraded');
  });
});

test('a plugin that blocks the thread beyond the deadline takes no time from another one', async () => {
  const { plugins } = await checkBeside((block) => ({
    healthCheck: () => {
      block(3_000);
      return { status: 'healthy' };
    },
  }));
  expect(plugins.greeter).toMatchObject({ message: 'its health check blocked the thread for 3000 ms' });
  expect(plugins.waiting).toMatchObject({ status: 'healthy' });
});

test('a plugin that blocks the thread for a moment is healthy', async () => {
  const { plugins } = await checkBeside((block) => ({ init: () => block(100) }));
  expect(plugins.greeter).toMatchObject({ status: 'healthy' });
});
