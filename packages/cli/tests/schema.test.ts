import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aManualClock } from '../../../tests/support/a-manual-clock.ts';
import { aHandle, aProvider, installedUnified } from '../../../tests/support/a-plugin.ts';

const openCommandLine = useCommandLine();
const folder = mkdtempSync(join(tmpdir(), 'schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

const committed = readFileSync(new URL('../../../workflows/workflow.schema.json', import.meta.url), 'utf8');

test('schema prints the JSON Schema that is beside the samples', async () => {
  const { call } = await openCommandLine({ hasDatabase: false });
  expect(await call('schema')).toEqual({ code: 0, out: committed.trimEnd(), err: '' });
});

test('schema --output writes it to a file', async () => {
  const { call } = await openCommandLine({ hasDatabase: false });
  const file = join(folder, 'workflow.schema.json');
  expect(await call(['schema', '--output', file])).toEqual({
    code: 0,
    out: `${file}: the schema of workflow files with the installed node types`,
    err: '',
  });
  expect(readFileSync(file, 'utf8')).toBe(committed);
});

test.each([
  ['no/such/folder.json', 'no such folder'],
  ['.', 'is a folder'],
])('schema --output %s says why it is not written', async (path, reason) => {
  const { call } = await openCommandLine({ hasDatabase: false });
  const file = join(folder, path);
  expect(await call(['schema', '--output', file])).toEqual({ code: 1, out: '', err: `${file}: ${reason}` });
});

test('schema has the node types of the installed plugins, and warns of plugins that are not loaded', async () => {
  const { call } = await openCommandLine({
    loadPlugins: async () => {
      const installed = [
        installedUnified(aProvider({ handles: [aHandle()] })),
        installedUnified(null, 'broken'),
      ];
      const logger = createLogger({ write: () => {} });
      return (await loadRegistry(installed, { logger, clock: aManualClock() })).plugins;
    },
  });
  const { code, out, err } = await call('schema');
  expect(code).toBe(0);
  expect(JSON.parse(out).definitions.node.properties.type.enum).toEqual(['greet']);
  expect(err).toMatch(/^The plugin broken is not loaded: /);
});
