import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aGithubServer, GITHUB_TOKEN } from '../../../tests/support/a-github-server.ts';
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

describe('node-type options', () => {
  let github: Awaited<ReturnType<typeof aGithubServer>>;
  beforeAll(async () => {
    github = await aGithubServer();
  });
  afterAll(() => github.close());

  /** A command line of a service with a credential for GitHub. */
  const openWithCredential = async () => {
    const { host } = new URL(github.baseUrl);
    const { call } = await openCommandLine({ values: { OUTBOUND_ALLOW: '127.0.0.1' } });
    const created = await call(`credential create gh --type httpBearer --host ${host}`, GITHUB_TOKEN);
    expect(created.code).toBe(0);
    const parameters = JSON.stringify({ baseUrl: github.baseUrl });
    return (...args: string[]) =>
      call(['node-type', 'options', 'githubComment', ...args, '--parameters', parameters]);
  };

  test('lists those of all pages, or those that contain a text', async () => {
    const options = await openWithCredential();
    expect(await options('repository', '--credential', 'gh')).toEqual({
      code: 0,
      out: ['VALUE  LABEL', 'o/r    o/r', 'o/tea  o/tea'].join('\n'),
      err: '',
    });
    const { out } = await options('repository', '--credential', 'gh', '--search', 'TEA', '--json');
    expect(JSON.parse(out)).toEqual([{ value: 'o/tea', label: 'o/tea' }]);
  });

  test('asks for at most 20 pages, and says that there are more', async () => {
    const options = await openWithCredential();
    for (let page = 1; page <= 20; page += 1) {
      const link = `<https://github.example/user/repos?page=${page + 1}>; rel="next"`;
      github.failures.push({ status: 200, headers: { link }, body: [{ full_name: `o/${page}` }] });
    }
    const { code, out, err } = await options('repository', '--credential', 'gh', '--json');
    expect([code, JSON.parse(out).length, err]).toEqual([
      0,
      20,
      'There are more: narrow them down with --search.',
    ]);
  });

  test.each<[string, string[], object]>([
    [
      'without a credential, as GitHub says',
      ['repository'],
      { code: 1, err: expect.stringMatching(/ answered 401: Bad credentials/) },
    ],
    [
      'with a credential that there is not',
      ['repository', '--credential', 'nope', '--json'],
      { code: 1, err: 'there is no credential "nope"' },
    ],
    [
      'of a parameter that has none',
      ['body', '--credential', 'gh'],
      {
        code: 1,
        err: 'There is no node type "githubComment" that finds options for a parameter "body".',
      },
    ],
    ['without a parameter', [], { code: 2 }],
  ])('fails %s', async (_case, args, expected) => {
    const options = await openWithCredential();
    expect(await options(...args)).toMatchObject({ out: '', ...expected });
  });

  test.each([
    ['[1]', 2, 'must be a JSON object, such as'],
    ['{', 1, 'is not JSON'],
  ])('refuses %s for parameters', async (text, code, problem) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    const args = ['node-type', 'options', 'githubComment', 'repository', '--parameters', text];
    expect(await call(args)).toEqual({ code, out: '', err: expect.stringContaining(problem) });
  });
});
