import type { PluginDependency } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkHealth } from '../../lib/plugins/health.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

type Graph = Readonly<Record<string, readonly PluginDependency[]>>;

/** Plugins of these names, in this order, each depending on what is listed for it. */
const loadGraph = async (graph: Graph, { disabled = [] }: { disabled?: readonly string[] } = {}) => {
  const { clock, run } = aVirtualClock();
  const initialised: string[] = [];
  const installed = Object.entries(graph).map(([id, dependencies]) => {
    const init = () => {
      initialised.push(id);
    };
    return installedUnified(aProvider({ id, dependencies, init, handles: [aHandle({ id })] }), id);
  });
  const registry = await run(loadRegistry(installed, { logger: silent, clock, disabled }));
  const outcomes = (await run(registry.initialise())).map((entry) =>
    entry.status === 'loaded' ? 'loaded' : entry.error,
  );
  const report = await run(checkHealth(registry, { logger: silent, clock }));
  return { registry, outcomes, initialised, report };
};

const on = (pluginId: string, changes: Partial<PluginDependency> = {}): PluginDependency => ({
  pluginId,
  ...changes,
});

describe('a dependency cycle', () => {
  test('of one plugin is refused', async () => {
    const { outcomes, initialised } = await loadGraph({ a: [on('a')] });
    expect(outcomes).toEqual(['its dependencies form a cycle: a -> a']);
    expect(initialised).toEqual([]);
  });

  test('of three is refused, and each message starts at its own plugin', async () => {
    const { outcomes } = await loadGraph({ a: [on('b')], b: [on('c')], c: [on('a')] });
    expect(outcomes).toEqual([
      'its dependencies form a cycle: a -> b -> c -> a',
      'its dependencies form a cycle: b -> c -> a -> b',
      'its dependencies form a cycle: c -> a -> b -> c',
    ]);
  });

  test('of optional dependencies is refused too', async () => {
    const optional = { optional: true };
    const { outcomes } = await loadGraph({ a: [on('b', optional)], b: [on('a', optional)] });
    expect(outcomes[0]).toBe('its dependencies form a cycle: a -> b -> a');
  });

  test('also excludes its dependents outside, and no other plugin', async () => {
    const { outcomes, initialised } = await loadGraph({
      outside: [on('a')],
      a: [on('b')],
      b: [on('a')],
      free: [],
    });
    expect(outcomes[0]).toBe('it depends on the plugin "a", which is not loaded');
    expect(outcomes[3]).toBe('loaded');
    expect(initialised).toEqual(['free']);
  });

  test('does not exist where two paths lead to the same plugin', async () => {
    const { outcomes, initialised } = await loadGraph({
      top: [on('left'), on('right')],
      left: [on('base')],
      right: [on('base')],
      base: [],
    });
    expect(outcomes).toEqual(['loaded', 'loaded', 'loaded', 'loaded']);
    expect(initialised.at(0)).toBe('base');
    expect(initialised.at(-1)).toBe('top');
    expect([...initialised].sort()).toEqual(['base', 'left', 'right', 'top']);
  });
});

describe('an unmet dependency', () => {
  test('keeps the plugin from being initialised, and its node types unavailable', async () => {
    const { registry, initialised } = await loadGraph({ a: [on('gone')], b: [] });
    expect(initialised).toEqual(['b']);
    expect(registry.findNodeType('a')).toBeNull();
    expect(registry.findNodeType('b')).not.toBeNull();
  });

  test('is listed with every other one', async () => {
    const { outcomes } = await loadGraph({ a: [on('gone'), on('b', { version: '>=2' })], b: [] });
    expect(outcomes[0]).toBe(
      'it depends on the plugin "gone", which is not installed or has invalid metadata; it depends on the plugin "b" >=2, but 1.2.3 is installed',
    );
  });

  test('that is disabled fails all dependents', async () => {
    const { outcomes, report } = await loadGraph({ a: [on('b')], b: [] }, { disabled: ['b'] });
    expect(outcomes).toEqual([
      'it depends on the plugin "b", which is not installed or has invalid metadata',
      'it is disabled',
    ]);
    expect(report.plugins.a?.status).toBe('unhealthy');
    expect(report.plugins.b?.status).toBe('disabled');
  });

  test.each<[string, PluginDependency, readonly string[]]>([
    ['of another version', on('b', { optional: true, version: '^2.0.0' }), []],
    ['switched off', on('b', { optional: true }), ['b']],
  ])('that is optional is a warning: %s', async (_case, dependency, disabled) => {
    const { outcomes, initialised, report } = await loadGraph({ a: [dependency], b: [] }, { disabled });
    expect(outcomes[0]).toBe('loaded');
    expect(initialised).toContain('a');
    expect(report.plugins.a).toMatchObject({ status: 'warning', message: expect.stringContaining('"b"') });
  });
});
