import { findSchemaFault } from '@hookloom/bounded-schema';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { checkHealth } from '../../lib/plugins/health.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { silent } from './a-run.ts';

/** The contract of every plugin. Checked with this plugin alone, so that it uses only its dependencies. */
export const describePlugin = (installed: InstalledPlugin): void => {
  const load = () => loadRegistry([installed], { logger: silent, clock: systemClock });

  describe(`the plugin ${installed.id}`, () => {
    test('is loaded', async () => {
      const [entry] = (await load()).plugins;
      expect(entry).toMatchObject({ id: installed.id, status: 'loaded' });
    });

    test('has an executor for each of its node types', async () => {
      const registry = await load();
      for (const { nodeType } of registry.plugins[0]?.plugin?.nodeTypes ?? []) {
        const executor = await registry.findNodeType(nodeType)?.getExecutor();
        expect(executor?.getNodeType()).toBe(nodeType);
      }
    });

    test('describes its node types’ parameters with valid schemas that allow no other keys', async () => {
      const [entry] = (await load()).plugins;
      for (const { schema } of entry?.plugin?.nodeTypes ?? []) {
        expect(findSchemaFault(schema)).toBeNull();
        expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      }
    });

    test('is healthy', async () => {
      const report = await checkHealth(await load(), { logger: silent, clock: systemClock });
      expect(report.plugins[installed.id]).toMatchObject({ status: 'healthy' });
    });
  });
};
