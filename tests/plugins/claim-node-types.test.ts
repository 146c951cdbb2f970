import { expect, test } from '@jest/globals';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import {
  aHandle,
  aLegacyProvider,
  aProvider,
  installedLegacy,
  installedUnified,
} from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const load = (...installed: Parameters<typeof loadRegistry>[0]) => {
  const { clock, run } = aVirtualClock();
  return run(loadRegistry(installed, { logger: silent, clock }));
};
const bringing = (id: string, ...nodeTypes: string[]) =>
  installedUnified(aProvider({ id, handles: nodeTypes.map((name) => aHandle({ id: name })) }), id);

test('every node type of a plugin is claimed, not only the first', async () => {
  const { plugins } = await load(bringing('one', 'a', 'b', 'c'), bringing('two', 'c'));
  expect(plugins[1]).toMatchObject({
    status: 'failed',
    error: 'its node type "c" already belongs to the plugin "one"',
  });
});

test('a legacy and a unified plugin can conflict over a node type', async () => {
  const ring = installedLegacy(aLegacyProvider());
  expect((await load(ring, bringing('one', 'ring'))).plugins[1]).toMatchObject({
    error: 'its node type "ring" already belongs to the plugin "ring"',
  });
  expect((await load(bringing('one', 'ring'), ring)).plugins[1]).toMatchObject({
    error: 'its node type "ring" already belongs to the plugin "one"',
  });
});

test('the node types of an excluded plugin are free for the next', async () => {
  const registry = await load(bringing('one', 'a'), bringing('two', 'b', 'a'), bringing('three', 'b'));
  expect(registry.plugins.map(({ status }) => status)).toEqual(['loaded', 'failed', 'loaded']);
  expect(registry.findNodeType('b')).not.toBeNull();
});

test('the registry cannot be changed afterwards', async () => {
  const registry = await load(bringing('one', 'a'));
  expect(Object.isFrozen(registry)).toBe(true);
  expect(Object.isFrozen(registry.plugins)).toBe(true);
});
