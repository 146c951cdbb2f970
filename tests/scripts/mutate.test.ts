import { expect, test } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

const mutate = (...args: readonly string[]) => runCommand('node', ['scripts/mutation/mutate.ts', ...args]);

test('--help prints the targets', async () => {
  const { code, stdout } = await runCommand('npm', ['run', '--silent', 'test:mutation', '--', '--help']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"linear-regex"')]);
});

test('an unknown target is refused with the known ones', async () => {
  const { code, stdout, stderr } = await mutate('everything');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringContaining('Allowed choices are counted-jsonata'),
  ]);
});
