import type { CredentialType } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createAssertEnabled } from '../../lib/plugins/disabled-plugins.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { DisabledPlugin } from '../../lib/shared/settings/settings.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aNode, aNodeContext } from '../support/a-node-context.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';

const TTL_MS = 5_000;
const STALE_MS = 300_000;

const acme: DisabledPlugin = {
  id: 'acme',
  disabledAt: '2026-01-02T03:04:05.000Z',
  disabledBy: null,
  message: 'leaks',
};

const credentialType: CredentialType = {
  id: 'acmeKey',
  name: 'Key',
  description: 'A key',
  secretFields: ['key'],
  schema: { type: 'object', properties: { key: { type: 'string' } } },
  apply: async (request) => request,
};

/** A sandbox with a plugin of a step, a pure node, one that is pure by its parameters, and a trigger. */
const aSandbox = async () => {
  const clock = aManualClock();
  const store = { content: [acme] as readonly DisabledPlugin[], isOut: false, reads: 0 };
  const assertEnabled = createAssertEnabled(
    {
      find: async () => {
        store.reads++;
        if (store.isOut) throw new AppError(STORE_UNAVAILABLE, {});
        return { content: store.content as never, revision: 1 };
      },
    },
    { ttlMs: TTL_MS, clock },
  );
  const plugin = aProvider({
    id: 'acme',
    handles: [
      aHandle({ id: 'step', pure: false }),
      aHandle({ id: 'pure' }),
      aHandle({ id: 'either', pure: ({ dry }) => dry === true }),
      aHandle({ id: 'start', kind: 'trigger', pure: false }),
    ],
    credentialTypes: [credentialType],
  });
  const registry = await loadRegistry([installedUnified(plugin, 'acme')], {
    logger: silent,
    clock,
    assertEnabled,
  });
  const run = async (type: string, parameters = {}) => {
    const executor = await registry.findNodeType(type)?.getExecutor();
    return executor?.execute(aNode(type, parameters), {}, aNodeContext());
  };
  return { clock, store, run, registry };
};

describe('a plugin that is disabled on the stage', () => {
  test('fails where a step would act, for good', async () => {
    const { run } = await aSandbox();
    await expect(run('step')).rejects.toMatchObject({
      name: 'PluginDisabled',
      isRetryable: false,
      message: 'the plugin "acme" is disabled on this stage since 2026-01-02T03:04:05.000Z: leaks',
    });
    await expect(run('either', { dry: false })).rejects.toMatchObject({ name: 'PluginDisabled' });
  });

  test('still runs what a replay runs again', async () => {
    const { run, store } = await aSandbox();
    expect(await run('pure')).toEqual({ greeting: 'Hello' });
    expect(await run('either', { dry: true })).toEqual({ greeting: 'Hello' });
    expect(await run('start')).toEqual({ greeting: 'Hello' });
    expect(store.reads).toBe(0);
  });

  test('sends no credential', async () => {
    const { registry } = await aSandbox();
    const apply = registry.credentialTypes.get('acmeKey')?.apply as (...args: unknown[]) => Promise<unknown>;
    await expect(apply({}, {}, {})).rejects.toMatchObject({ name: 'PluginDisabled' });
  });

  test('is used again when it is enabled, once the setting is read anew', async () => {
    const { run, store, clock } = await aSandbox();
    await expect(run('step')).rejects.toThrow();
    store.content = [];
    await expect(run('step')).rejects.toThrow();
    expect(store.reads).toBe(1);
    clock.advance(TTL_MS);
    expect(await run('step')).toEqual({ greeting: 'Hello' });
    expect(store.reads).toBe(2);
  });

  test('stays disabled while the table is out, as long as the setting is known', async () => {
    const { run, store, clock } = await aSandbox();
    await expect(run('step')).rejects.toMatchObject({ name: 'PluginDisabled' });
    store.isOut = true;
    clock.advance(STALE_MS - 1);
    await expect(run('step')).rejects.toMatchObject({ name: 'PluginDisabled' });
    clock.advance(TTL_MS);
    await expect(run('step')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
