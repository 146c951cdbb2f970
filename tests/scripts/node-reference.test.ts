import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { runCommand } from '../support/run-command.ts';

const check = (cwd?: string) =>
  runCommand('node', ['scripts/node-reference.ts', '--check'], cwd === undefined ? {} : { cwd });

test('docs/nodes, the names of plugins and the schema of workflow files match the node types; `npm run docs:nodes` writes them', async () => {
  expect(await check()).toEqual({ code: 0, stdout: '', stderr: '' });
});

describe('files that are out of date', () => {
  let project: ReturnType<typeof copyProject>;
  const page = (name: string): string => join(project.folder, 'docs/nodes', name);

  beforeAll(() => {
    project = copyProject();
  });
  afterAll(() => project.remove());

  test('are named with what differs, also leftover ones, and are written again', async () => {
    const text = readFileSync(page('if.md'), 'utf8');
    writeFileSync(page('if.md'), text.replace('# if', '# iff'));
    writeFileSync(page('gone.md'), 'Left over.\n');
    const schemaFile = join(project.folder, 'workflows/workflow.schema.json');
    const schema = readFileSync(schemaFile, 'utf8');
    rmSync(schemaFile);
    const namesFile = join(project.folder, 'nodes/provided.json');
    const names = readFileSync(namesFile, 'utf8');
    writeFileSync(namesFile, names.replace('"csv", ', ''));

    const { code, stderr } = await check(project.folder);
    expect(code).toBe(1);
    expect(stderr).toContain('docs/nodes/if.md is out of date:\n- # iff\n+ # if\n');
    expect(stderr).toContain('docs/nodes/gone.md is out of date:\n- Left over.\n');
    expect(stderr).toContain('workflows/workflow.schema.json is out of date:\n');
    expect(stderr).toContain('nodes/provided.json is out of date:\n');

    await runCommand('node', ['scripts/node-reference.ts'], { cwd: project.folder });
    expect(readFileSync(page('if.md'), 'utf8')).toBe(text);
    expect(readFileSync(schemaFile, 'utf8')).toBe(schema);
    expect(readFileSync(namesFile, 'utf8')).toBe(names);
    expect(await check(project.folder)).toMatchObject({ code: 0 });
  });
});
