import { expect, test } from '@jest/globals';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aManualClock } from '../../../tests/support/a-manual-clock.ts';
import { aHandle, aProvider, installedUnified } from '../../../tests/support/a-plugin.ts';

const openCommandLine = useCommandLine();

/** A command line whose installed plugins are a sound one and one that can't be read. */
const openWithPlugins = () =>
  openCommandLine({
    loadPlugins: async () => {
      const handles = [aHandle(), aHandle({ id: 'bow', description: 'Bows\nlow' })];
      const installed = [installedUnified(aProvider({ handles })), installedUnified(null, 'broken')];
      const logger = createLogger({ write: () => {} });
      return (await loadRegistry(installed, { logger, clock: aManualClock() })).plugins;
    },
  });

const warning =
  'The plugin broken is not loaded: its metadata is invalid: the export must be a provider, not null';

test('node-type list has a line for each node type, and warns of plugins that are not loaded', async () => {
  const { call } = await openWithPlugins();
  expect(await call('node-type list')).toEqual({
    code: 0,
    out: [
      'TYPE   KIND    CATEGORY  DESCRIPTION',
      'greet  action  example   Says hello',
      'bow    action  example   Bows low',
    ].join('\n'),
    err: warning,
  });
});

test('node-type list --json prints only the descriptions', async () => {
  const { call } = await openWithPlugins();
  const { out } = await call('node-type list --json');
  expect(JSON.parse(out)).toEqual([
    expect.objectContaining({ nodeType: 'greet', outputs: ['main'], schema: expect.any(Object) }),
    expect.objectContaining({ nodeType: 'bow' }),
  ]);
});

test('node-type show prints the page of an installed node type', async () => {
  const { call } = await openCommandLine();
  const { code, out, err } = await call('node-type show if');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('# if\n');
  expect(out).toContain('- Outputs: `true`, `false`');
  expect(out).toContain('- `condition` (boolean, required)');
});

test('node-type show --json prints its description', async () => {
  const { call } = await openCommandLine();
  const { out } = await call('node-type show wait --json');
  expect(JSON.parse(out)).toMatchObject({ nodeType: 'wait', control: { suspends: true, bodyOutput: null } });
});

test.each([
  ['swich', '; did you mean "switch"?'],
  ['HTTP-request', '; did you mean "httpRequest"?'],
  ['zzzzzz', ''],
  ['hasOwnProperty', ''],
])('node-type show of the unknown %s suggests similar names', async (type, hint) => {
  const { call } = await openCommandLine();
  expect(await call(['node-type', 'show', type])).toEqual({
    code: 1,
    out: '',
    err: `There is no node type "${type}"${hint}`,
  });
});

test('node-type show without a name is a usage error', async () => {
  const { call } = await openCommandLine();
  expect(await call('node-type show')).toMatchObject({ code: 2 });
});
