import { expect, test } from '@jest/globals';
import { targets } from '../../scripts/mutation/targets.ts';
import { runCommand } from '../support/run-command.ts';

const ONE_HOUR = 3_600_000;

test.each(Object.keys(targets))(
  'tests notice the changes to %s, and there is a reason for each that they miss',
  async (name) => {
    const { code, stdout, stderr } = await runCommand('npm', ['run', '-s', 'test:mutation', '--', name]);
    expect([code, stdout + stderr]).toEqual([0, expect.any(String)]);
  },
  ONE_HOUR,
);
