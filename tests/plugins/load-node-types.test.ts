import { describe, expect, test } from '@jest/globals';
import type { PluginProvider } from '../../lib/contract/plugin.ts';
import { type InstalledPlugin, unified, unifiedOnUse } from '../../lib/plugins/installed-plugin.ts';
import { loadOnUse } from '../../lib/plugins/load-node-types.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../plugins/installed.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { silent } from '../support/a-run.ts';

const clock = aManualClock();

const aProvider = (id: string, nodeTypes: readonly string[]): PluginProvider => ({
  id,
  name: id,
  version: '1.0.0',
  description: id,
  category: 'test',
  handles: nodeTypes.map((nodeType) => ({
    id: nodeType,
    name: nodeType,
    description: nodeType,
    kind: 'action',
    schema: {},
    execute: () => ({ by: id }),
  })),
});

const start = () => {
  const loaded: string[] = [];
  const load = (id: string, nodeTypes: readonly string[]) => async () => {
    loaded.push(id);
    return { default: aProvider(id, nodeTypes) };
  };
  const installed: readonly InstalledPlugin[] = [
    unified('common', load('common', ['set'])),
    unifiedOnUse('data', ['sort', 'limit'], load('data', ['sort', 'limit'])),
    unifiedOnUse('formats', ['csv'], load('formats', ['csv'])),
  ];
  const open = (plugins: readonly InstalledPlugin[]) => {
    let registry: ReturnType<typeof loadRegistry> | undefined;
    return () => {
      registry ??= loadRegistry(plugins, { logger: silent, clock });
      return registry;
    };
  };
  return { loaded, ...loadOnUse(installed, open) };
};

test('a workflow without their node types loads no plugin on use', async () => {
  const { loaded, loadNodeTypes } = start();
  const findNodeType = await loadNodeTypes(['set', 'unknown']);
  expect(findNodeType('set')).toMatchObject({ nodeType: 'set' });
  expect([findNodeType('unknown'), findNodeType('sort')]).toEqual([null, null]);
  expect(loaded).toEqual(['common']);
});

test('a workflow with one loads its plugin, once for all workflows', async () => {
  const { loaded, loadNodeTypes } = start();
  for (const nodeTypes of [['set', 'limit'], ['sort'], ['sort', 'limit']]) {
    const findNodeType = await loadNodeTypes(nodeTypes);
    for (const nodeType of nodeTypes) expect(findNodeType(nodeType)).toMatchObject({ nodeType });
  }
  expect(loaded).toEqual(['common', 'data']);
});

test('all are loaded when no node types are given', async () => {
  const { loaded, loadNodeTypes } = start();
  const findNodeType = await loadNodeTypes();
  expect(['set', 'sort', 'csv'].map((nodeType) => findNodeType(nodeType)?.nodeType)).toEqual([
    'set',
    'sort',
    'csv',
  ]);
  expect(loaded).toEqual(['common', 'data', 'formats']);
});

describe('of the installed plugins', () => {
  test.each(
    installedPlugins.flatMap((plugin) =>
      plugin.api === 'unified' && plugin.nodeTypes !== undefined ? [[plugin.id, plugin] as const] : [],
    ),
  )('%s has the node types that it is loaded for, and no dependencies', async (_id, plugin) => {
    const { plugins } = await loadRegistry([plugin], { logger: silent, clock });
    const [entry] = plugins;
    expect(entry?.plugin?.nodeTypes.map(({ nodeType }) => nodeType)).toEqual(plugin.nodeTypes);
    expect(entry?.plugin?.dependencies).toEqual([]);
  });
});
