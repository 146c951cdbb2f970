import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { projectEnvironment, projectRoot, runCommand } from '../support/run-command.ts';

test('a pipe that is closed early ends it silently', async () => {
  const child = spawn('node', [join(projectRoot, 'packages/cli/main.ts'), '--help'], {
    env: projectEnvironment(),
  });
  child.stdout.destroy(); // as `head` does when it has enough
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([said, code]).toEqual(['', 0]);
});

test('paths are relative to the folder where npm was called', async () => {
  const { code, stdout, stderr } = await runCommand(
    'npm',
    ['run', '-s', 'cli', '--', 'workflow', 'validate', 'hello.json'],
    { cwd: join(projectRoot, 'workflows') },
  );
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('no such file')]);
  expect(stdout).toContain('hello.json');
});

test.each([
  ['no region', {}, "No AWS region: name the stage's region with --region NAME"],
  ['no credentials', { AWS_DEFAULT_REGION: 'eu-central-1' }, 'No AWS credentials were found. Log in'],
])('a stage with %s is reported', async (_, variables, said) => {
  const { PATH = '' } = projectEnvironment();
  const env = { PATH, HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true', ...variables };
  const child = spawn(
    'node',
    [join(projectRoot, 'packages/cli/main.ts'), 'workflow', 'list', '--stage', 'dev'],
    {
      env,
    },
  );
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});
