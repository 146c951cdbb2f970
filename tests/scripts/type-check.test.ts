import { expect, test } from '@jest/globals';
import about from '../../package.json' with { type: 'json' };
import { projectRoot, runCommand } from '../support/run-command.ts';

test('`npm run types` checks every file of the project', async () => {
  const commands = about.scripts.types.split(' && ').map((command) => command.split(' ').slice(1));
  const checked = new Set<string>();
  for (const program of commands) {
    const { stdout } = await runCommand('tsc', [...program, '--listFilesOnly']);
    for (const file of stdout.split('\n')) checked.add(file.replace(`${projectRoot}/`, ''));
  }
  const { stdout: tracked } = await runCommand('git', ['ls-files', '*.ts', '*.tsx']);
  expect(
    tracked
      .trim()
      .split('\n')
      .filter((file) => !checked.has(file)),
  ).toEqual([]);
}, 60_000);
