import type { PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { type InstalledPlugin, type Provided, unified } from '../../lib/plugins/installed-plugin.ts';
import { loadOnUse } from '../../lib/plugins/load-node-types.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { silent } from '../support/a-run.ts';

const clock = aManualClock();

const aProvider = (
  id: string,
  nodeTypes: readonly string[],
  credentialTypes: readonly string[],
): PluginProvider => ({
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
  credentialTypes: credentialTypes.map((type) => ({
    id: type,
    name: type,
    description: type,
    schema: { type: 'object', properties: { value: { type: 'string' } } },
    secretFields: ['value'],
  })),
});

const onUse = (id: string, provided: Provided, load: InstalledPlugin['load']): InstalledPlugin => ({
  id,
  api: 'unified',
  load,
  onUse: provided,
});

const start = () => {
  const loaded: string[] = [];
  const load =
    (id: string, nodeTypes: readonly string[], types: readonly string[] = []) =>
    async () => {
      loaded.push(id);
      return { default: aProvider(id, nodeTypes, types) };
    };
  const installed: readonly InstalledPlugin[] = [
    unified('common', load('common', ['set'])),
    onUse('data', { nodeTypes: ['sort', 'limit'] }, load('data', ['sort', 'limit'])),
    onUse('keys', { credentialTypes: ['token'] }, load('keys', [], ['token'])),
    onUse('formats', { nodeTypes: ['csv'] }, load('formats', ['csv'])),
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

test('a workflow without their node types loads none of the plugins loaded on use', async () => {
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
  expect(loaded).toEqual(['common', 'data', 'keys', 'formats']);
});

test('a credential type is found in the plugin loaded for it, or in one that is always loaded', async () => {
  const { loaded, findCredentialType } = start();
  expect(await findCredentialType('token')).toMatchObject({ id: 'token' });
  expect(loaded).toEqual(['keys']);
  expect(await findCredentialType('unknown')).toBeNull();
  expect(loaded).toEqual(['keys', 'common']);
});

describe('of the installed plugins', () => {
  test.each(
    installedPlugins.flatMap((plugin) =>
      plugin.api === 'unified' && plugin.onUse !== undefined ? [[plugin, plugin.onUse] as const] : [],
    ),
  )('$id declares what it is loaded for, and no dependencies', async (installed, onUse) => {
    const { plugins } = await loadRegistry([installed], { logger: silent, clock });
    const { nodeTypes = [], credentialTypes = [], dependencies } = plugins[0]?.plugin ?? {};
    expect(nodeTypes.map(({ nodeType }) => nodeType)).toEqual(onUse.nodeTypes ?? []);
    expect(credentialTypes.map(({ id }) => id)).toEqual(onUse.credentialTypes ?? []);
    expect(dependencies).toEqual([]);
  });
});
