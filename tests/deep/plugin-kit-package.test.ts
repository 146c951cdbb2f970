import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Emission, emit, isNodeError } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot, runCommand } from '../support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookloom-kit-'));
const built = join(folder, 'built');
const plugin = join(folder, 'plugin');
afterAll(() => rmSync(folder, { recursive: true }));

const succeed = async (command: string, args: string[], cwd = plugin): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd });
  expect({ code, problems: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, problems: '' });
  return stdout;
};

/** A plugin outside of the repository, with the package of the kit from its tarball. */
beforeAll(async () => {
  await succeed('node', ['scripts/build-package.ts', 'plugin-kit', built], projectRoot);
  await succeed('npm', ['pack', '--pack-destination', folder], built);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  cpSync(join(projectRoot, 'packages/cli/plugin-template'), plugin, { recursive: true });
  const packageFile = join(plugin, 'package.json');
  const { devDependencies: _dev, ...about } = JSON.parse(readFileSync(packageFile, 'utf8'));
  writeFileSync(packageFile, JSON.stringify(about));
  await succeed('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)]);
  mkdirSync(join(plugin, 'node_modules/@types'));
  for (const name of ['typebox', '@types/node', 'undici-types']) {
    symlinkSync(join(projectRoot, 'node_modules', name), join(plugin, 'node_modules', name));
  }
});

test('the package has JavaScript and declarations, and no dependency', () => {
  const installed = join(plugin, 'node_modules/@hookloom/plugin-kit');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['index.js', 'host.d.ts', 'README.md', 'LICENSE']));
  expect(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
  const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(about).not.toHaveProperty('dependencies');
  expect(about).not.toHaveProperty('private');
  expect(about).toMatchObject({
    license: 'MIT',
    repository: { directory: 'packages/plugin-kit' },
    keywords: expect.arrayContaining(['hookloom']),
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  });
});

test('the service recognises what a plugin emits and throws with its own copy of the kit', async () => {
  const file = join(plugin, 'node_modules/@hookloom/plugin-kit/index.js');
  const { emit: emitOfCopy, NodeError: ErrorOfCopy } = await import(file);
  expect(emitOfCopy).not.toBe(emit);
  expect(emitOfCopy({ a: {} })).toBeInstanceOf(Emission);
  expect({ main: 1 }).not.toBeInstanceOf(Emission);
  expect(isNodeError(new ErrorOfCopy('no'))).toBe(true);
});

test('a plugin outside the repository passes its own tests', async () => {
  expect(await succeed('npm', ['test'])).toMatch(/pass 26\n.*fail 0/);
});

test('its parameters are typed, and it compiles to what npm publishes', async () => {
  await succeed('npm', ['run', 'prepack']);
  expect(readdirSync(join(plugin, 'dist')).sort()).toEqual(['index.d.ts', 'index.js']);
  writeFileSync(
    join(plugin, 'index.ts'),
    readFileSync(join(plugin, 'index.ts'), 'utf8').replace('{ name, greeting }', '{ name, greting }'),
  );
  const { code, stdout } = await runCommand('npm', ['test'], { cwd: plugin });
  expect(code).not.toBe(0);
  expect(stdout).toContain("Property 'greting' does not exist on type");
});
