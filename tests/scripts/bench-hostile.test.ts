import { expect, test } from '@jest/globals';
import { cases } from '../support/deep.ts';
import { runCommand } from '../support/run-command.ts';

const bench = (...args: readonly string[]) =>
  runCommand('npm', ['run', '--silent', 'bench:hostile', '--', ...args]);

test('--help prints the options', async () => {
  const { code, stdout } = await bench('--help');
  expect([code, stdout]).toEqual([0, expect.stringContaining('--bytes <number>')]);
});

const wrong: [args: string[], message: string][] = [
  [['--bytes', '12'], "argument '12' is invalid. It must be a whole number of at least 1000."],
  [['--bites', '2000'], "unknown option '--bites'"],
];
test.each(cases(wrong.slice(0, 1), wrong))('%j is refused with a sentence', async (args, message) => {
  const { code, stdout, stderr } = await bench(...args);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
});
