import { expect, test } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

const mutate = (...args: readonly string[]) =>
  runCommand('npm', ['run', '--silent', 'test:mutation', '--', ...args]);

test('--help prints the targets', async () => {
  const { code, stdout } = await mutate('--help');
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
