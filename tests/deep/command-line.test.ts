import { describe, expect, test } from '@jest/globals';
import { connectTarget, openTarget } from '../../packages/cli/target.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { copyProject } from '../support/copy-project.ts';
import { runCli, runCommand } from '../support/run-command.ts';

const openCommandLine = useCommandLine();

describe('the command line', () => {
  test.each(['', '--help', 'help'])('"%s" shows the commands of all groups', async (args) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    const { code, out, err } = await call(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      / workflow put \[options\] <files\.\.\.> .* credential revoke .* execution retry .*HOOKLOOM_PORT .*Exit codes/s,
    );
  });

  test.each([
    ['workflow --help', [' workflow put [options] <files...> ', '--stage <name>']],
    ['help credential', [' credential revoke [options] <id> [secretId] ']],
    [
      'credential create -h',
      ['Usage: hookloom credential create [options] <id>', '--type <type>', '--stage'],
    ],
  ])('%s shows its usage', async (args, parts) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    const { code, out, err } = await call(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const part of parts) expect(out).toContain(part);
  });

  test.each(['workflow', 'execution', '--stage production'])('%s lacks a command', async (args) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    expect(await call(args)).toEqual({ code: 2, out: '', err: expect.stringMatching(/^Usage:.* list /s) });
  });

  test('--version prints the version', async () => {
    const { call } = await openCommandLine({ hasDatabase: false });
    expect(await call('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  test.each([
    ['workflows', "unknown command 'workflows'\n(Did you mean workflow?)"],
    ['credential rotat', "unknown command 'rotat'\n(Did you mean rotate?)"],
    ['execution stop e-1', "unknown command 'stop'"],
    ['workflow put', "missing required argument 'files'"],
    ['credential create --type apiKey', "missing required argument 'id'"],
    ['workflow rollback a 1 2', "too many arguments for 'rollback'"],
    ['workflow export a b', 'name their folder with --output DIR'],
    ['workflow export a b --version 1 --output c', '--version is for a single workflow'],
    ['credential revoke key 1 2', "too many arguments for 'revoke'"],
    ['execution list e-1', "too many arguments for 'list'"],
    ['workflow get a --version x', 'A version must be a whole number'],
    ['workflow get a --version 0', 'A version must be a whole number'],
    ['workflow get a --version 1e400', 'A version must be a whole number'],
    ['workflow get a/b', '"a/b" is not an id: use 1 to 64 of A-Z a-z 0-9 _ -'],
    [`workflow remove ${'x'.repeat(65)}`, 'is not an id'],
    ['workflow list --jsn', "unknown option '--jsn'\n(Did you mean --json?)"],
    ['workflow list --json=1', "unknown option '--json=1'"],
    ['workflow put a.json --version 3', "unknown option '--version'"],
    ['workflow list --status failed', "unknown option '--status'"],
    ['credential rotate key --type basic', "unknown option '--type'"],
    ['execution show e-1 --from fetch', "unknown option '--from'"],
    ['execution watch e-1 --json', "unknown option '--json'"],
    ['workflow list --stage', "option '--stage <name>' argument missing"],
    ['workflow list --stage --json', '--stage needs a value, but --json is an option.'],
    ['workflow list --stage a/b', '"a/b" is not a stage name'],
    ['workflow remove a --region eu-central-1', '--region needs --stage NAME.'],
    ['workflow list --url https://a.example', '--url needs --stage NAME.'],
    ['workflow list --stage a --url http://a.example', '"http://a.example" is not a URL such as https://'],
    ['workflow list --stage a --url a.example', '"a.example" is not a URL such as https://'],
    ['execution list --status done', '--status must be one of accepted'],
    ['execution list --limit 0', '--limit must be an integer from 1 to 100'],
    ['execution list --from yesterday', '--from must be a time'],
    ['execution list --to 2026-02-30', '--to must be a time'],
    ['execution list --workflow a/b', '"a/b" is not an id'],
    [
      'credential create key --type oauth2 --username a',
      '--username and --password-stdin are for the type basic',
    ],
    ['credential create key --type basic', '--type basic needs --username NAME'],
    ['credential create key --type apiKey --username a', 'An API key is generated'],
    ['credential revoke key', 'Name the secret to revoke, or use --all'],
    ['credential revoke key 1 --all', 'Name the secret to revoke, or use --all'],
  ])('%s: exit code 2 and a hint, without opening anything', async (args, message) => {
    const { call } = await openCommandLine({
      hasDatabase: false,
      openTarget: () => {
        throw new Error('a target was opened');
      },
    });
    const { code, out, err } = await call(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/\nSee --help\.$/);
  });

  test.each([
    '--stage production credential list --region eu-central-1',
    'credential list --region=eu-central-1 --stage=production',
  ])('the target may be given anywhere: %s', async (args) => {
    const opened: unknown[] = [];
    const { call, target } = await openCommandLine({
      openTarget: (options) => {
        opened.push(options);
        return target();
      },
    });
    expect(await call(args)).toMatchObject({ code: 0 });
    expect(opened).toEqual([{ stage: 'production', region: 'eu-central-1' }]);
  });

  test.each([
    ['workflow', 'get', ''],
    ['workflow', 'remove', ''],
    ['workflow', 'enable', ''],
    ['credential', 'rotate', ''],
    ['credential', 'revoke', '', '--all'],
  ])('an empty id is also an error: %s %s', async (...args) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    expect(await call(args)).toMatchObject({ code: 2, err: expect.stringContaining('"" is not an id') });
  });

  test('commands that neither check a file nor register a trigger start without the node types', async () => {
    const loadNodeTypes = async () => {
      throw new Error('it asked for the node types');
    };
    const { call } = await openCommandLine({ loadNodeTypes });
    expect(await call('workflow list')).toMatchObject({ code: 0 });
    expect(await call('workflow get greeting')).toMatchObject({ code: 1 });
    expect(await call('execution list')).toMatchObject({ code: 0 });
  });

  test('an unavailable service is exit code 1, with its address', async () => {
    const baseUrl = 'http://127.0.0.1:9999';
    const { call } = await openCommandLine({
      openTarget: () => connectTarget({ dynamodbEndpoint: baseUrl, tablePrefix: 'test', baseUrl }),
    });
    const { code, err } = await call('credential list');
    expect(code).toBe(1);
    expect(err).toContain("The admin API can't be reached at http://127.0.0.1:9999");
    expect(err).toContain('ECONNREFUSED');
  });
});

test('a deployed stage is found by name only', async () => {
  const target = await openTarget({ stage: 'production', region: 'eu-central-1' });
  expect(target.baseUrl).toBeNull();
});

test('as a project command it has exit codes for scripts, and a clear message when no service runs', async () => {
  const project = copyProject();
  const { folder } = project;
  const cli = (...args: string[]) => runCli(args, { cwd: folder });
  try {
    expect(await cli('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(await runCommand('npm', ['run', '-s', 'cli', '--', 'nonsense'], { cwd: folder })).toMatchObject({
      code: 2,
      stdout: '',
    });
    const { code, stderr } = await cli('workflow', 'list');
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(
      'No local service is running. Start it with `npm start`, or name a deployed stage: --stage NAME',
    );
  } finally {
    project.remove();
  }
});
