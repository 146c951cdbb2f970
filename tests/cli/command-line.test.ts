import { describe, expect, test } from '@jest/globals';
import { openTarget } from '../../cli/target.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { copyProject } from '../support/copy-project.ts';
import { runCommand } from '../support/run-command.ts';

const openCommandLine = useCommandLine();

describe('the command line', () => {
  test.each(['', '--help', 'help', 'workflow --help', 'credential create -h'])(
    '"%s" shows the help',
    async (args) => {
      const { call } = await openCommandLine();
      const { code, out } = await call(args);
      expect(code).toBe(0);
      expect(out).toContain('workflow put FILE...');
      expect(out).toContain('Exit codes');
    },
  );

  test('--version is the version', async () => {
    const { call } = await openCommandLine();
    expect(await call('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  test.each([
    ['workflows', 'There is no command "workflows".'],
    ['workflow', 'There is no command "workflow".'],
    ['workflow put', 'Name at least one FILE.'],
    ['workflow get a b', 'Name one ID, not 2.'],
    ['workflow get a --version x', '--version must be a whole number'],
    ['workflow get a --version 0', '--version must be a whole number'],
    ['workflow get a --version 1e400', '--version must be a whole number'],
    ['workflow get a/b', '"a/b" is no id: an id is 1 to 64 of A-Z a-z 0-9 _ -'],
    [`workflow remove ${'x'.repeat(65)}`, 'is no id'],
    ['workflow list everything', 'Nothing is expected here, but there is "everything".'],
    ['workflow list --colour', "Unknown option '--colour'"],
    ['workflow put a.json --version 3', 'workflow put does not take --version.'],
    ['workflow remove a --json', 'workflow remove does not take --json.'],
    ['workflow remove a --region eu-central-1', '--region needs --stage NAME.'],
    ['workflow list --stage a/b', '"a/b" is no stage'],
    ['credential list everything', 'Nothing is expected here'],
    ['credential rotate key --type basic', 'credential rotate does not take --type.'],
    ['credential revoke key 1 2', 'Name one SECRET_ID, not 2.'],
    ['credential make', 'There is no command "credential make".'],
    ['credential create', 'Name at least one ID.'],
  ])('%s is wrong, with exit code 2 and a hint', async (args, message) => {
    const { call } = await openCommandLine();
    const { code, out, err } = await call(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toContain('See --help.');
  });

  test.each([
    ['workflow', 'get', ''],
    ['workflow', 'remove', ''],
    ['workflow', 'enable', ''],
    ['credential', 'rotate', ''],
    ['credential', 'revoke', '', '--all'],
  ])('an empty id is wrong, too: %s %s', async (...args) => {
    const { call } = await openCommandLine();
    expect(await call(args)).toMatchObject({ code: 2, err: expect.stringContaining('"" is no id') });
  });

  test('what checks no file starts without the node types', async () => {
    const loadNodeTypes = async () => {
      throw new Error('it asked for the node types');
    };
    const { call } = await openCommandLine({ loadNodeTypes });
    expect(await call('workflow list')).toMatchObject({ code: 0 });
    expect(await call('workflow get greeting')).toMatchObject({ code: 1 });
    expect(await call('workflow remove greeting')).toMatchObject({ code: 1 });
    expect(await call('workflow enable greeting')).toMatchObject({ code: 1 });
  });

  test('a store that can not be had is exit code 1, with what it says', async () => {
    const { call } = await openCommandLine({
      openTarget: () => openTargetAt('http://127.0.0.1:1'),
    });
    const { code, err } = await call('workflow list');
    expect(code).toBe(1);
    expect(err).toContain('The store does not answer or is throttling');
    expect(err).toContain('ECONNREFUSED');
  });
});

const { connect } = await import('../../cli/target.ts');
const openTargetAt = (endpoint: string) => connect({ dynamodbEndpoint: endpoint, tablePrefix: 'test' });

test('a deployed stage is found by its name alone', () => {
  const target = openTarget({ stage: 'production', region: 'eu-central-1' });
  expect(target.baseUrl).toBeNull();
  target.close();
});

test('as a command of the project it has exit codes that scripts can use, and no service is a clear message', async () => {
  const project = copyProject();
  const cli = (...args: string[]) =>
    runCommand('npm', ['run', '-s', 'cli', '--', ...args], { cwd: project.folder });
  try {
    expect(await cli('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(await cli('nonsense')).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await cli('workflow', 'list');
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(
      'No local service is up. Start it with `npm start`, or name a deployed stage: --stage NAME',
    );
  } finally {
    project.remove();
  }
});
