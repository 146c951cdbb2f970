import { globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { targets } from '../../scripts/mutation/targets.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

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

test.each(Object.entries(targets))(
  'the target %s has code, and each of its patterns a test',
  (_name, target) => {
    const count = (pattern: string) => globSync(pattern, { cwd: projectRoot }).length;
    expect(target.mutate.flatMap((pattern) => globSync(pattern, { cwd: projectRoot }))).not.toEqual([]);
    expect(target.tests.filter((pattern) => count(pattern) === 0)).toEqual([]);
  },
);
