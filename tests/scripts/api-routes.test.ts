import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { runCommand } from '../support/run-command.ts';

test('the lists of routes match the declarations; `npm run docs:api` writes them', async () => {
  expect(await runCommand('node', ['scripts/api-routes.ts', '--check'])).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test('a list that differs is named, and written anew', async () => {
  const project = copyProject();
  try {
    const page = join(project.folder, 'docs/admin-api.md');
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replace('a page of the node types, by name', 'a page'));
    const run = (...args: string[]) =>
      runCommand('node', ['scripts/api-routes.ts', ...args], { cwd: project.folder });
    const { code, stderr } = await run('--check');
    expect(code).toBe(1);
    expect(stderr).toContain('docs/admin-api.md is out of date');
    expect((await run()).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toBe(text);
  } finally {
    project.remove();
  }
});
