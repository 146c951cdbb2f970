import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { runCommand } from '../support/run-command.ts';

test('the list of commands matches their declarations', async () => {
  const result = await runCommand('node', ['scripts/command-list.ts', '--check']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
});

test('a list that differs is named, and `npm run docs:cli` writes it anew', async () => {
  const project = copyProject();
  try {
    const page = join(project.folder, 'docs/command-line.md');
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, text.replace('| `drift <folder>` |', '| `drift` |'));
    const run = (...args: string[]) =>
      runCommand('node', ['scripts/command-list.ts', ...args], { cwd: project.folder });
    const { code, stderr } = await run('--check');
    expect(code).toBe(1);
    expect(stderr).toContain('docs/command-line.md is out of date');
    expect((await run()).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toBe(text);
  } finally {
    project.remove();
  }
});
