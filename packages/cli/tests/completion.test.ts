import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { runCommand } from '../../../tests/support/run-command.ts';

const openCommandLine = useCommandLine();

/** What bash proposes for the last of some words. */
const propose = async (script: string, ...words: readonly string[]): Promise<readonly string[]> => {
  const program = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _hookloom; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await runCommand('bash', ['-c', program, 'bash', 'hookloom', ...words], {});
  return stdout.split('\n').filter((line) => line !== '');
};

test('bash proposes commands, and options after a dash', async () => {
  const { call } = await openCommandLine({ hasDatabase: false });
  const { code, out } = await call('completion bash');
  expect(code).toBe(0);
  expect(await propose(out, 'workf')).toEqual(['workflow']);
  expect(await propose(out, 'workflow', 'p')).toEqual(['permissions', 'put']);
  expect(await propose(out, '--stage', 'production', 'workflow', 'hi')).toEqual(['history']);
  expect(await propose(out, 'workflow', 'put', '--m')).toEqual(['--message']);
  expect(await propose(out, 'deploy', '--')).toEqual(
    expect.arrayContaining(['--prune', '--dry-run', '--stage']),
  );
  expect(await propose(out, 'workflow', 'put', 'flows/')).toEqual([]); // files, by default
  expect(await propose(out, '--stage', 'w')).toEqual([]); // not a command: the value of an option
  expect(await propose(out, 'workflow', 'ex')).toEqual(['export']);
  expect(await propose(out, 'workflow', 'get', '--o')).toEqual(['--output']); // by its other name
  expect(await propose(out, 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

test.each(['zsh', 'fish'])('%s gets every command with its description', async (shell) => {
  const { call } = await openCommandLine({ hasDatabase: false });
  const { code, out } = await call(`completion ${shell}`);
  expect(code).toBe(0);
  for (const name of ['workflow', 'rollback', 'deploy', 'prune']) expect(out).toContain(name);
  expect(out).toContain('store what is new or changed in a folder');
});

test('another shell is refused', async () => {
  const { call } = await openCommandLine({ hasDatabase: false });
  expect(await call('completion tcsh')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices'),
  });
});
