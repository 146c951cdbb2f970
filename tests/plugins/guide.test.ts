import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot, runCli, runCommand } from '../support/run-command.ts';

const page = readFileSync(join(projectRoot, 'docs/plugins.md'), 'utf8');

/** The first code after the name of a file. */
const codeFor = (file: string): string => {
  const [, code] = /\n```ts\n([\s\S]*?)```/.exec(page.slice(page.indexOf(`\`${file}\``))) ?? [];
  if (code === undefined) throw new Error(`the guide has no code for ${file}`);
  return code;
};

const folder = mkdtempSync(join(tmpdir(), 'hookloom-guide-'));
const plugin = join(folder, 'plugins/tickets');

beforeAll(() => {
  mkdirSync(plugin, { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(plugin, 'package.json'), '{"type":"module"}');
  for (const name of ['index.ts', 'examples.ts', 'index.test.ts'])
    writeFileSync(join(plugin, name), codeFor(`plugins/tickets/${name}`));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the guide’s plugin passes its own tests', async () => {
  const { code, stdout } = await runCommand('node', ['--test'], { cwd: plugin });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass \d+\n.*fail 0/) });
});

test('it is checked as the guide shows', async () => {
  const { code, stdout, stderr } = await runCli(['plugin', 'check', plugin], { cwd: projectRoot });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(page).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
});
