import { expect, test } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

const bench = (...args: readonly string[]) =>
  runCommand('npm', ['run', '--silent', 'bench:hostile', '--', ...args]);

test('--help prints the options', async () => {
  const { code, stdout } = await bench('--help');
  expect([code, stdout]).toEqual([0, expect.stringContaining('--only <text>')]);
});

test('an unknown option is refused with a sentence', async () => {
  const { code, stdout, stderr } = await bench('--bites', '2000');
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining("unknown option '--bites'")]);
});
