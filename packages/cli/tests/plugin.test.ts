import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { projectRoot } from '../../../tests/support/run-command.ts';

const openCommandLine = useCommandLine();
const folder = mkdtempSync(join(tmpdir(), 'hookloom-plugins-'));
afterAll(() => rmSync(folder, { recursive: true }));

const template = join(projectRoot, 'packages/cli/plugin-template');

describe('plugin create', () => {
  test('writes a plugin with its own names, and explains how to test and install it', async () => {
    const { call } = await openCommandLine({ hasDatabase: false });
    const dir = join(folder, 'acme-chat');
    const { code, out, err } = await call(['plugin', 'create', 'acme-chat', '--dir', dir]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`npm test --prefix ${dir}\n`);
    expect(out).toContain(`npm install ${dir}, and one line in nodes/installed.ts`);
    expect(out).toContain("unified('acme-chat', () => import('hookloom-acme-chat')),");

    expect(readdirSync(dir).sort()).toEqual(readdirSync(template).sort());
    const texts = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
    expect(texts.join('\n')).not.toMatch(/plugin.?template/i);
    const plugin = readFileSync(join(dir, 'index.ts'), 'utf8');
    for (const name of ["'acme-chat'", "'acmeChatGreet'", "'Acme chat'"]) expect(plugin).toContain(name);
  });

  test('leaves an existing folder unchanged', async () => {
    const { call } = await openCommandLine({ hasDatabase: false });
    const { code, err } = await call(['plugin', 'create', 'other', '--dir', folder]);
    expect({ code, err }).toEqual({ code: 1, err: `${folder} already exists.` });
    expect(existsSync(join(folder, 'index.ts'))).toBe(false);
  });

  test.each(['Acme', 'a/b', '../a', 'a--b', '1a', `a${'b'.repeat(40)}`, '__proto__'])(
    '%s is not a valid name',
    async (name) => {
      const { call } = await openCommandLine({ hasDatabase: false });
      const { code, err } = await call(['plugin', 'create', name]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('is not a plugin name') });
    },
  );
});

describe('plugin check', () => {
  const check = async (path: string, ...options: string[]) => {
    const { call } = await openCommandLine({ hasDatabase: false });
    return call(['plugin', 'check', path, ...options]);
  };

  test('shows the row of a valid plugin, and its checks', async () => {
    expect(await check(template)).toEqual({
      code: 0,
      err: '',
      out: [
        'plugin-template\tPROVIDER\t0.1.0\tunified\tloaded\thealthy',
        '  pluginTemplateGreet\t10 of 10 checks passed',
        '  pluginTemplateSend\t9 of 9 checks passed',
      ].join('\n'),
    });
  });

  test('prints JSON', async () => {
    const { code, out } = await check(template, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      row: { id: 'plugin-template', loaded: true, nodeTypes: ['pluginTemplateGreet', 'pluginTemplateSend'] },
      health: { status: 'healthy' },
      nodeTypes: [{ nodeType: 'pluginTemplateGreet', problems: [] }, { problems: [] }],
    });
  });

  /** Source of a provider with one handle. */
  const provider = (changes: object, execute = '() => ({})') => `
    const handle = { id: 'acme', name: 'Acme', description: 'Of a test', kind: 'action',
      schema: { type: 'object', additionalProperties: false },
      ...${JSON.stringify(changes)}, execute: ${execute} };
    export default { id: 'acme', name: 'Acme', version: '1.0.0', description: 'Of a test', category: 'test',
      handles: [handle] };`;

  /** Writes a plugin whose node type has an example. */
  const write = (name: string, source: string): string => {
    const at = join(folder, name.replaceAll(' ', '-'));
    mkdirSync(at);
    writeFileSync(join(at, 'index.js'), source);
    writeFileSync(join(at, 'examples.js'), 'export default { acme: {} };');
    return at;
  };

  test.each<[string, string, string]>([
    [
      'throws at import',
      "throw new Error('the vendor library is missing');",
      'the vendor library is missing',
    ],
    ['exports nothing', 'export {};', 'the export must be a provider, not undefined'],
    [
      'takes a taken node type',
      provider({ id: 'set' }),
      'its node type "set" already belongs to the plugin "flow"',
    ],
    [
      'has an invalid schema',
      provider({ schema: { type: 'objekt' } }),
      'handles[0].schema must be a valid JSON Schema, but is not at type',
    ],
    [
      'has a schema that is open',
      provider({ schema: { type: 'object' } }),
      'acme: has a schema that allows no other parameters: its schema must have "additionalProperties": false',
    ],
    ['returns a list', provider({}, '() => []'), 'the node must deliver an object on "main"'],
    [
      'writes to its input',
      provider({}, '(_node, input) => Object.assign(input, { a: 1 })'),
      'object is not extensible',
    ],
  ])('refuses a plugin that %s', async (name, source, reason) => {
    const { code, err } = await check(write(name, source));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(reason) });
  });

  test('says when a node type has no example and is not executed', async () => {
    const file = join(folder, 'no-example.js');
    writeFileSync(file, provider({}));
    expect(await check(file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('4 of 4 checks passed; not executed: it has no example'),
    });
  });

  test('accepts a legacy provider', async () => {
    const file = join(folder, 'legacy.js');
    writeFileSync(
      file,
      `export default { nodeType: 'ring', displayName: 'Ring', description: 'Rings', category: 'test',
        version: '1.0.0', properties: [], getExecutor: () => ({ getNodeType: () => 'ring', execute: () => ({}) }) };`,
    );
    expect(await check(file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('ring\tACTION\t1.0.0\tlegacy\tloaded\thealthy'),
    });
  });

  test('a path without a plugin is refused', async () => {
    expect(await check('nowhere')).toEqual({ code: 1, out: '', err: 'nowhere: no such plugin' });
  });
});

describe('the plugins of a stage', () => {
  test('are listed, disabled and enabled', async () => {
    const { call } = await openCommandLine();
    const before = (await call('plugin list')).out.split('\n');
    expect(before[0]).toMatch(/^ID +API +VERSION +STATE +REASON$/);
    expect(before.find((line) => line.startsWith('slack '))).toMatch(/^slack +unified +\S+ +loaded +-$/);
    expect(await call('plugin disable slack --message leaks')).toMatchObject({
      code: 0,
      out: 'slack: disabled',
      err: '',
    });
    expect((await call('plugin disable slack --message leaks')).out).toBe('slack: was disabled already');
    expect((await call('plugin list')).out).toMatch(/\nslack +unified +\S+ +disabled +since \S+: leaks\n/);
    const { plugins } = JSON.parse((await call('plugin list --json')).out);
    expect(plugins.find(({ id }: { id: string }) => id === 'slack')).toMatchObject({ state: 'disabled' });
    expect((await call('plugin enable slack')).out).toBe('slack: enabled');
    expect((await call('plugin enable slack')).out).toBe('slack: was not disabled');
    expect(await call('plugin disable flow')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Disable the workflows'),
    });
  });
});
