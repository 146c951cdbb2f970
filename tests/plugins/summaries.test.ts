import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadRegistry, type Registry } from '../../lib/plugins/load-registry.ts';
import {
  describeRegistry,
  listActions,
  listPlugins,
  listProviders,
  listTriggers,
} from '../../lib/plugins/summaries.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
let registry: Registry;

beforeAll(async () => {
  const { clock, run } = aVirtualClock();
  const both = aProvider({ handles: [aHandle(), aHandle({ id: 'tick', name: 'Tick', kind: 'trigger' })] });
  registry = await run(
    loadRegistry(
      [
        installedUnified(both),
        installedLegacy(aLegacyProvider()),
        installedLegacy(aLegacyProvider({ nodeType: 'call' }), { id: 'call', kind: 'action' }),
        { id: 'broken', api: 'unified', load: () => Promise.reject(new Error('no vendor')) },
        {
          id: 'brokenTrigger',
          api: 'legacy',
          kind: 'trigger',
          load: () => Promise.reject(new Error('no vendor')),
        },
      ],
      { logger: silent, clock },
    ),
  );
});

describe('the lists', () => {
  test('have all plugins, legacy and unified, loaded or not', () => {
    const { count, plugins, timestamp } = listPlugins(registry, NOW);
    expect({ count, timestamp }).toEqual({ count: 5, timestamp: '2026-11-20T12:00:00.000Z' });
    expect(plugins.map(({ id, type, api, loaded }) => [id, type, api, loaded])).toEqual([
      ['greeter', 'PROVIDER', 'unified', true],
      ['ring', 'TRIGGER', 'legacy', true],
      ['call', 'ACTION', 'legacy', true],
      ['broken', 'PROVIDER', 'unified', false],
      ['brokenTrigger', 'TRIGGER', 'legacy', false],
    ]);
  });

  test('show a single plugin in full', () => {
    expect(listPlugins(registry, NOW).plugins[0]).toEqual({
      id: 'greeter',
      name: 'Greeter',
      description: 'Says hello',
      type: 'PROVIDER',
      category: 'example',
      loaded: true,
      version: '1.2.3',
      api: 'unified',
      nodeTypes: ['greet', 'tick'],
      provider: 'greeter',
    });
  });

  test('show a failed plugin with its reason, and unknown fields empty', () => {
    expect(listPlugins(registry, NOW).plugins[3]).toEqual({
      id: 'broken',
      name: 'broken',
      description: '',
      type: 'PROVIDER',
      category: '',
      loaded: false,
      version: '',
      api: 'unified',
      nodeTypes: [],
      provider: 'broken',
      error: 'no vendor',
    });
  });

  test('show triggers and actions as node types, with their plugin', () => {
    expect(listTriggers(registry).map(({ id, type, provider }) => [id, type, provider])).toEqual([
      ['tick', 'TRIGGER', 'greeter'],
      ['ring', 'TRIGGER', 'ring'],
      ['brokenTrigger', 'TRIGGER', 'brokenTrigger'],
    ]);
    expect(
      listActions(registry).map(({ id, type, provider, nodeTypes }) => [id, type, provider, nodeTypes]),
    ).toEqual([
      ['greet', 'ACTION', 'greeter', ['greet']],
      ['call', 'ACTION', 'call', ['call']],
    ]);
  });

  test('show an unreadable legacy plugin in the list of its kind, with the reason', () => {
    expect(listTriggers(registry).at(-1)).toMatchObject({
      id: 'brokenTrigger',
      loaded: false,
      nodeTypes: [],
      error: 'no vendor',
    });
  });

  test('show unified plugins as providers', () => {
    expect(listProviders(registry).map(({ id }) => id)).toEqual(['greeter', 'broken']);
  });

  test('count in debug what is usable, and say what is not', () => {
    const runtime = { node: 'v24', architecture: 'arm64', region: 'local', memoryMb: 512 };
    const build = { version: '1.0.0', stage: 'dev' };
    expect(describeRegistry(registry, { now: NOW, runtime, build })).toEqual({
      providerCount: 1,
      triggerCount: 2,
      actionCount: 2,
      serverTime: '2026-11-20T12:00:00.000Z',
      runtime,
      build,
      nodeTypes: ['call', 'greet', 'ring', 'tick'],
      loadErrors: [
        { id: 'broken', error: 'no vendor' },
        { id: 'brokenTrigger', error: 'no vendor' },
      ],
    });
  });
});
